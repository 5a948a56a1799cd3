// SPDX-License-Identifier: BSD-3-Clause
// Span JSON to spans: kinds, tiling, layouts, damage, refusals.
#include <catch2/catch.hpp>

#include "kutrace/abi.h"
#include "read_spans.h"
#include "support/lines.h"

namespace kutrace::test {
namespace {

Error error_of(const std::string& text) {
  const auto file = read::JsonSpans::open(text, "test.json");
  REQUIRE_FALSE(file);
  return file.error();
}

TEST_CASE("event numbers become kinds, and names lose what the format adds") {
  Replay r;
  read_json(json_of(R"([  1.00000000, 0.00000100, 0, 7, 0, 65543, 0, 3, 2, "server.7"],
[  1.00000100, 0.00000100, 0, 7, 0, 2048, 3, 9, 0, "read"],
[  1.00000200, 0.00000100, 0, 7, 0, 65543, 0, 9, 0, "server.7"],
[  1.00000300, 0.00000100, 0, 7, 0, 1516, 0, 0, 0, "local_timer"],
[  1.00000400, 0.00000100, 0, 7, 0, 1535, 1, 0, 0, "BH:timer"],
[  1.00000500, 0.00000100, 0, 7, 0, 3583, 0, 0, 0, "-sched-"],
[  1.00000600, 0.00000001, 0, 0, 0, 520, 64, 0, 0, "mwait"],
[  1.00000600, 0.00000300, 0, 0, 0, 65536, 1, 0, 0, "-idlelp-"],
[  1.00000900, 0.00000100, 0, 0, 0, 131072, 0, 0, 0, "-c-exit-"],
)"),
            r);
  constexpr Ns kSecond = 1'000'000'000;
  CHECK(r.info.begin == kSecond);
  CHECK(r.info.end == kSecond + 10000);
  CHECK(r.timeline(0) ==
        Lines{"user 1000000000+1000 server", "syscall 1000001000+1000 read(3)=9",
              "user 1000002000+1000 server", "irq 1000003000+1000 local_timer",
              "softirq 1000004000+1000 BH:timer(1)", "sched 1000005000+1000 -sched-",
              "idle_low 1000006000+3000 -idle-(64)", "c_exit 1000009000+1000 -c-exit-"});
  CHECK(r.info.counters.named(Severity::kRepair).empty());
  CHECK(r.info.wall_usec == 1'758'088'620'000'000);
}

TEST_CASE("what lies over the timeline keeps its place") {
  Replay r;
  read_json(json_of(R"([  1.00000000, 0.00001000, 0, 7, 0, 65543, 0, 0, 0, "server.7"],
[  1.00000100, 0.00000001, 0, 7, 0, 518, 9, 0, 0, "runnable.9"],
[  1.00000100, 0.00000200, 0, 7, 0, -3, 1, 9, 0, "-wakeup-"],
[  1.00000100, 0.00000200, -1, 9, 0, 770, 0, 0, 0, "wait_cpu"],
[  1.00000200, 0.00000001, 0, 7, 0, 522, 55, 0, 0, "mark_a=abc"],
[  1.00000200, 0.00000100, -1, 7, -1, 642, 5, 0, 0, "=mutex"],
[  1.00000300, 0.00000100, 1, -1, -1, -7, 2, 0, 0, "-ipi-"],
[  1.00000300, 0.00000100, 0, 0, 0, 641, 77, 0, 0, "PC=ffffffffb1721e8f"],
[  1.00000400, 0.00000100, -1, -1, 12, 538, 3, 0, 0, "queue~3"],
)"),
            r);
  CHECK(r.of_kind(SpanKind::kPoint) == Lines{"7: point 1000001000+0 runnable(9)"});
  CHECK(r.of_kind(SpanKind::kWakeupArc) == Lines{"7: wakeup 1000001000+2000 -wakeup-(1)"});
  CHECK(r.of_kind(SpanKind::kWait) == Lines{"9: wait 1000001000+2000 wait_cpu"});
  CHECK(r.of_kind(SpanKind::kMark) == Lines{"7: mark 1000002000+0 mark_a=abc(55)"});
  CHECK(r.of_kind(SpanKind::kLockHeld) == Lines{"7: lock_held 1000002000+1000 mutex(5)"});
  CHECK(r.of_kind(SpanKind::kIpiArc) == Lines{"-1: ipi 1000003000+1000 -ipi-(2)"});
  CHECK(r.of_kind(SpanKind::kQueued) == Lines{"-1: queued 1000004000+1000 queue~3(3)"});
  for (const Span& span : r.spans) {
    if (span.kind == SpanKind::kSample) CHECK(span.value == 0xffffffffb1721e8f);
    if (span.kind == SpanKind::kWakeupArc) CHECK(span.other == 9);
  }
}

TEST_CASE("gaps of 10 ns go to the span before, longer ones are loss") {
  Replay r;
  read_json(json_of(R"([  1.00000000, 0.00000099, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
[  1.00000100, 0.00000100, 0, 0, 0, 65536, 0, 0, 0, "-idle-"],
[  1.00000300, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
[  1.00000500, 0.00000100, 1, 8, 0, 65544, 0, 0, 0, "b.8"],
)"),
            r);
  CHECK(r.timeline(0) == Lines{"user 1000000000+1000 a", "idle 1000001000+1000 -idle-",
                               "loss 1000002000+1000 -loss-(8)", "user 1000003000+1000 a",
                               "loss 1000004000+2000 -loss-(8)"});
  CHECK(r.timeline(1) == Lines{"loss 1000000000+5000 -loss-(8)", "user 1000005000+1000 b"});
  CHECK(r.info.counters.named(Severity::kRepair) ==
        std::map<std::string, std::uint64_t>{{"json_rounding_gap", 1}});
  CHECK(r.info.losses.size() == 3);
}

TEST_CASE("a span ends where the next begins and goes on behind it") {
  Replay r;
  read_json(json_of(R"([  1.00000000, 0.00001000, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
[  1.00000200, 0.00000100, 0, 7, 0, 1516, 0, 0, 0, "timer"],
[  1.00000250, 0.00000100, 0, 7, 0, 1535, 0, 0, 0, "BH"],
[  1.00000400, 0.00000000, 0, 7, 0, 1535, 0, 0, 0, "BH"],
)"),
            r);
  CHECK(r.timeline(0) == Lines{"user 1000000000+2000 a", "irq 1000002000+500 timer",
                               "softirq 1000002500+1000 BH", "user 1000003500+6500 a"});
  CHECK(r.info.counters.named(Severity::kRepair) ==
        std::map<std::string, std::uint64_t>{{"json_overlap", 2}, {"json_zero_length", 1}});
}

TEST_CASE("records in any order are put in order") {
  Replay r;
  read_json(json_of(R"([  1.00000100, 0.00000100, 0, 0, 0, 65536, 0, 0, 0, "-idle-"],
[  1.00000000, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
)",
                    "\"unsorted\" : 1,"),
            r);
  CHECK(r.timeline(0) == Lines{"user 1000000000+1000 a", "idle 1000001000+1000 -idle-"});
  CHECK(r.info.counters.of(Counter::kJsonUnsorted) == 1);
}

TEST_CASE("records as far apart as numbers are have no time that does not fit") {
  Replay r;
  read_json(json_of(R"([ -3900000000, 3900000000, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
[  0, 3900000000, 0, 8, 0, 65544, 0, 0, 0, "b.8"],
[  3900000000, 3900000000, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
)"),
            r);
  constexpr Ns kLength = 3'900'000'000 * Ns{1'000'000'000};
  CHECK(r.info.begin == -kLength);
  CHECK(r.info.end == kLength);
  CHECK(r.timeline(0).size() == 2);
  CHECK(r.info.counters.of(Counter::kJsonRecordWithoutMeaning) == 1);
}

TEST_CASE("layout and key order do not matter, and the page's extras are kept") {
  Replay r;
  read_json(
      "{\"savedview\":[[\"x\",{\"k\":[1,-2e-3,true,null]}]],\"events\":[[1e0,1.0E-6,0,7,0,65543,0,"
      "0,0,\"a b.7\"],[1.000001 ,0.000001,0,8,0,65544,0,0,\"\\u00e4\\\"\\u0027.8\"]]\t,"
      "\"extra\":[[1.0,0.1,0,-1,-1,-4,3,4,0,\"look\"]],\"title\":\"t\\u0027s\",\"flags\":131}",
      r);
  CHECK(r.timeline(0) == Lines{"user 1000000000+1000 a b", "user 1000001000+1000 \xc3\xa4\"'"});
  CHECK(r.info.facts.get(fact::kTitle) == "t's");
  CHECK(r.info.facts.get(fact::kExtra) == R"([[1.0,0.1,0,-1,-1,-4,3,4,0,"look"]])");
  CHECK(r.info.facts.get(fact::kSavedView) == R"([["x",{"k":[1,-2e-3,true,null]}]])");
  CHECK(r.info.flags == 131);
}

TEST_CASE("a thread's new name is a rename") {
  Replay r;
  read_json(json_of(R"([  1.00000000, 0.00000001, 0, 7, 0, 526, 0, 0, 0, "sh+ls.7"],
[  1.00000000, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, "sh.7"],
[  1.00000100, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, "ls.7"],
)"),
            r);
  CHECK(r.of_kind(SpanKind::kRename) == Lines{"7: rename 1000001000+0 ls"});
  CHECK(r.names.text(r.info.threads.at(7).name) == "ls");
}

TEST_CASE("a file that ends early is read as far as it goes") {
  std::string text = json_of(R"([  1.00000000, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
[  1.00000100, 0.00000100, 0, 8, 0, 65544, 0, 0, 0, "b.8"],
)");
  text.resize(text.find("b.8"));
  Replay r;
  read_json(text, r);
  CHECK(r.timeline(0) == Lines{"user 1000000000+1000 a"});
  CHECK(r.info.counters.named(Severity::kDamage).at("json_cut") == 1);
}

TEST_CASE("a damaged record costs that record") {
  Replay r;
  read_json(json_of(R"([  1.00000000, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
[  1.00000100, 0.000#0100, 0, 8, 0, 65544, 0, 0, 0, "b.8"],
[  1.00000100, 12],
[  1.00000200, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
[  1.00000300, 0.00000100, 0, 7, 0, 99, 0, 0, 0, "?"],
)"),
            r);
  CHECK(r.timeline(0) == Lines{"user 1000000000+1000 a", "loss 1000001000+1000 -loss-(8)",
                               "user 1000002000+1000 a"});
  CHECK(r.info.counters.named(Severity::kDamage) ==
        std::map<std::string, std::uint64_t>{{"json_record_of_other_shape", 1},
                                             {"json_record_unreadable", 1},
                                             {"json_record_without_meaning", 1}});
}

TEST_CASE("the rows of a profile are rows that begin at time 0") {
  const std::string rows = R"([0.0, 0.0, 65536, -1, -1, 526, 0, 0, 0, "0 "],
[0.0, 0.00000300, 65536, -1, -1, 65543, 0, 0, 2, "server.7"],
[0.00000300, 0.00000100, 65536, -1, -1, 2048, 0, 0, 0, "read"],
[0.0, 0.00000200, 65536, -1, -1, 641, 0, 0, 0, "PC=work"],
[0.0, 0.0, -1, 65537, -1, 526, 0, 0, 0, "server.7 "],
[0.0, 0.00000200, -1, 65537, -1, 65543, 0, 0, 0, "server.7"],
[0.00000200, 0.00000500, -1, 65537, -1, 771, 0, 0, 0, "wait_disk"],
[0.0, 0.0, -1, -1, 65538, 526, 0, 0, 0, "query.5 "],
[0.0, 0.00000100, -1, -1, 65538, 65543, 0, 0, 0, "server.7"],
)";
  const std::string presorted = "\"presorted\" : 1,\n \"version\" : 3,";
  Replay r;
  read_json(json_of(rows, presorted), r);
  CHECK(r.timeline(0) ==
        Lines{"user 0+3000 server", "syscall 3000+1000 read", "hidden 4000+3000 -hidden-"});
  CHECK(r.timeline(1) == Lines{"user 0+2000 server.7", "hidden 2000+5000 -hidden-"});
  CHECK(r.timeline(2) == Lines{"user 0+1000 server.7", "hidden 1000+6000 -hidden-"});
  CHECK(r.of_kind(SpanKind::kWait) == Lines{"16777217: wait 2000+5000 wait_disk"});
  CHECK(r.of_kind(SpanKind::kSample).size() == 1);
  CHECK(r.of_kind(SpanKind::kRename).empty());
  CHECK(r.names.text(r.info.threads.at((1 << 24) + 2).name) == "query.5");
  CHECK(r.info.losses.empty());
}

TEST_CASE("a profile is known by its key, wherever that stands") {
  const std::string row = "[0.0, 0.000001, -1, 65536, -1, 65543, 0, 0, 0, \"a.7\"]";
  Replay r;
  read_json("{\"version\" : 3, \"events\" : [" + row + "], \"presorted\" : 1}", r);
  CHECK(r.timeline(0) == Lines{"user 0+1000 a.7"});
}

TEST_CASE("what is no timeline is refused with a clear word") {
  const std::string span = "[  1.0, 0.1, 0, 7, 0, 65543, 0, 0, 0, \"a.7\"],\n";
  CHECK(error_of(json_of("", "\"version\" : 4,")).sentence.find("remote procedure calls") !=
        std::string::npos);
  CHECK(error_of(json_of("")).sentence.find("no span") != std::string::npos);
  CHECK(error_of(json_of("[1.0, 2],\n")).sentence.find("not spans") != std::string::npos);
  CHECK(error_of("{\"a\" : 1}").sentence.find("no array") != std::string::npos);
  const Error syntax = error_of("{\"a\" : ?}");
  CHECK(syntax.sentence.find("not span JSON") != std::string::npos);
  CHECK(syntax.byte.value() >= 6);
}

TEST_CASE("a signal to a CPU that no machine has costs its record") {
  Replay r;
  read_json(json_of(R"([  1.00000000, 0.00001000, 0, 7, 0, 65543, 0, 0, 0, "server.7"],
[  1.00000300, 0.00000100, 0, -1, -1, -7, 65535, 0, 0, "-ipi-"],
[  1.00000400, 0.00000100, 0, -1, -1, -7, 65536, 0, 0, "-ipi-"],
[  1.00000500, 0.00000100, 0, 7, 0, -3, 2000000000, 9, 0, "-wakeup-"],
[  1.00000600, 0.00000100, 0, -1, -1, -7, -1, 0, 0, "-ipi-"],
)"),
            r);
  CHECK(r.of_kind(SpanKind::kIpiArc) == Lines{"-1: ipi 1000003000+1000 -ipi-(65535)"});
  CHECK(r.of_kind(SpanKind::kWakeupArc).empty());
}

TEST_CASE("a CPU span with a number that no span can hold does not count") {
  Replay r;
  read_json(json_of(R"([  1.00000000, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
[  1.00000000, 0.00000900, 1, 7, 0, 65543, 0, 421111111037, 0, "a.7"],
)"),
            r);
  CHECK(r.info.cpus == std::vector<CpuId>{0});
  CHECK(r.info.counters.named(Severity::kDamage).at("json_record_without_meaning") == 1);
}

TEST_CASE("a frequency of no CPU does not count") {
  Replay r;
  read_json(json_of(R"([  1.00000000, 0.00000100, 0, 7, 0, 65543, 0, 0, 0, "a.7"],
[  1.00000000, 0.00000100, 0, 0, 0, 521, 1000, 0, 0, "freq_1000"],
[  1.00000000, 0.00000100, -1, 0, 0, 521, 1000, 0, 0, "freq_1000"],
)"),
            r);
  CHECK(r.of_kind(SpanKind::kFrequency).size() == 1);
  CHECK(r.info.counters.named(Severity::kDamage).at("json_record_without_meaning") == 1);
}

TEST_CASE("deep nesting is refused, not followed") {
  CHECK(error_of("{\"x\":" + std::string(100'000, '[')).sentence.find("nested") !=
        std::string::npos);
}

}  // namespace
}  // namespace kutrace::test
