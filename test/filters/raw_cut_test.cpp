// SPDX-License-Identifier: BSD-3-Clause
// Raw traces cut and joined: what comes out is a raw trace that says the same about its time.
#include "raw/raw_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <utility>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"
#include "timeline/process_records.h"
#include "timeline/trace_layout.h"

namespace kutrace::test {
namespace {

TraceBuilder named(TraceBuilder::Style style = TraceBuilder::Style::kOwn) {
  TraceBuilder b(style);
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  return b;
}

RawFile opened(std::string bytes) {
  std::vector<std::byte> copy(bytes.size());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  auto file = RawFile::open(MappedFile::from_bytes(std::move(copy), "cut"));
  if (!file) throw std::runtime_error(describe(file.error()));
  return std::move(*file);
}

RawFile cut(const RawFile& file, TimeWindow window,
            const std::optional<std::unordered_set<CpuId>>& cpus = {}) {
  std::string bytes;
  const auto summary = raw::cut_raw(file, window, cpus, [&bytes](std::string_view piece) {
    bytes += piece;
    return true;
  });
  if (!summary) FAIL(describe(summary.error()));
  return opened(std::move(bytes));
}

// Entries at ticks of 16 ns; blocks end in the middle.
TraceBuilder two_cpus() {
  TraceBuilder b = named();
  b.fact("cpus_online", "0-1");
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10);
  for (Ticks t = 10; t < 1000; t += 20) b.folded(t, kRead, 3, 5, 7);
  b.new_block(1000, 10, "server").at(1000, kRead, 4).at(1500, kTimer).at(1505, kTimer | kReturn);
  b.at(1600, kRead | kReturn, 9).at(1700, ev::kUSERPID, 20);
  b.cpu(1, 0).at(0, ev::kUSERPID, 0).at(5, ev::kMWAIT, 0x20);
  b.at(2'500'000, kTimer).at(2'500'010, kTimer | kReturn);
  return b;
}

TEST_CASE("a cut through a system call, an interrupt and idle time tells them from its begin on") {
  TraceBuilder b = two_cpus();
  const RawFile file = b.file(3'000'000);
  Replay r;
  replay(cut(file, {1200 * 16, 1650 * 16}), r);
  CHECK(r.info.begin == 1200 * 16);
  CHECK(r.info.end == 1650 * 16);
  CHECK(r.timeline(0) == Lines{"syscall 19200+4800 read", "irq 24000+80 local_timer=0",
                               "syscall 24080+1520 read=9", "user 25600+800 server"});
  CHECK(r.timeline(1) == Lines{"idle_low 19200+7200 -idle-(32)"});
  CHECK(r.info.counters.named(Severity::kDamage).empty());
  CHECK(r.info.losses.empty());
}

TEST_CASE("a cut that takes everything says the same as the trace") {
  TraceBuilder b = two_cpus();
  const RawFile file = b.file(3'000'000);
  Replay before;
  replay(file, before);
  Replay after;
  replay(cut(file, {0, kForever}), after);
  CHECK(after.info.end == before.info.end);
  CHECK(after.timeline(0) == before.timeline(0));
  CHECK(after.timeline(1) == before.timeline(1));
  CHECK(after.info.counters.named(Severity::kDamage) ==
        before.info.counters.named(Severity::kDamage));
  CHECK(after.info.wall_usec == before.info.wall_usec);
}

TEST_CASE("a piece of a piece says which recording it is of") {
  TraceBuilder b = two_cpus();
  const RawFile file = b.file(3'000'000);
  const RawFile piece = cut(file, {10'000, 1'000'000});
  const RawFile smaller = cut(piece, {20'000, 500'000});
  const auto layout = timeline::lay_out(smaller);
  REQUIRE(layout);
  CHECK(layout->facts.get(fact::kCut) == "20000..500000 ns of a recording of 48000000 ns");
}

TEST_CASE("cuts at every moment keep the law, and the inner time is as it was") {
  TraceBuilder b = two_cpus();
  const RawFile file = b.file(3'000'000);
  Replay whole;
  replay(file, whole);
  for (Ns begin = 0; begin < 1800 * 16; begin += 7 * 16 + 3) {
    Replay r;
    const Ns length = 640 * 16;
    replay(cut(file, {begin, begin + length}), r);
    CAPTURE(begin);
    CHECK(r.info.counters.named(Severity::kDamage).empty());
    CHECK(r.info.losses.empty());
    // The cut begins with the first tick that is not before the window.
    const Ns first = (begin + 15) / 16 * 16;
    CHECK(r.info.begin == first);
    Ns syscalls = 0;
    Ns expected = 0;
    for (const Span& span : r.spans) {
      if (span.kind == SpanKind::kSyscall) syscalls += span.duration;
    }
    for (const Span& span : whole.spans) {
      if (span.kind != SpanKind::kSyscall) continue;
      expected += std::max<Ns>(
          0, std::min(span.start + span.duration, r.info.end) - std::max(span.start, first));
    }
    CHECK(syscalls == expected);
  }
}

TEST_CASE("a cut keeps losses, missing blocks and a folded call at its edge") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10).folded(100, kRead, 3, 50, 1);
  b.lose_block().new_block(4000, 10, "server").at(4000, kRead).at(4100, kRead | kReturn);
  const RawFile file = b.file(5000);
  Replay inside;
  replay(cut(file, {120 * 16, 4500 * 16}), inside);
  CHECK(inside.timeline(0).front() == "syscall 1920+480 read=1");
  REQUIRE(inside.info.losses.size() == 1);
  CHECK(inside.info.losses[0].end == 4000 * 16);
  Replay left;
  replay(cut(file, {0, 130 * 16}), left);
  CHECK(left.timeline(0) == Lines{"user 0+1600 server", "syscall 1600+480 read(3)"});
  Replay in_gap;
  replay(cut(file, {3000 * 16, 4050 * 16}), in_gap);
  REQUIRE(in_gap.info.losses.size() == 1);
  CHECK(in_gap.info.losses[0].end == 4000 * 16);
  Replay before_gap;
  replay(cut(file, {0, 2000 * 16}), before_gap);
  REQUIRE(before_gap.info.losses.size() == 1);
  CHECK(before_gap.info.losses[0].begin == 150 * 16);
  CHECK(before_gap.info.losses[0].end == 2000 * 16);
}

TEST_CASE("entries that were lost at one moment are told by the piece that has it") {
  TraceBuilder b = named();
  b.words_entry(kind::kLOSS, KUTRACE_LOSS_MISSED_RUN << 24 | 0, {kStart + 50, kStart + 50, 5});
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10).at(400, kRead);
  b.words_at(450, kind::kLOSS, KUTRACE_LOSS_BUFFER_FULL << 24 | 0, {kStart + 350, kStart + 380, 6});
  b.at(800, kRead | kReturn);
  const RawFile file = b.file(1000);
  const auto entries = [&](Ns from, Ns to) {
    Replay piece;
    replay(cut(file, {from * 16, to * 16}), piece);
    std::vector<std::uint64_t> all;
    for (const LossRecord& loss : piece.info.losses) all.push_back(loss.entries);
    return all;
  };
  using Entries = std::vector<std::uint64_t>;
  CHECK(entries(20, 60) == Entries{5});
  CHECK(entries(50, 60) == Entries{5});
  CHECK(entries(20, 50).empty());
  CHECK(entries(60, 340).empty());
  CHECK(entries(360, 500) == Entries{6});
  CHECK(entries(380, 500).empty());  // told in the piece, but of before
  CHECK(entries(400, 500).empty());
}

TEST_CASE("traces by upstream's tools can be cut, with their trailers") {
  TraceBuilder b = named(TraceBuilder::Style::kUpstream);
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10).at(500, kRead).at(900, kRead | kReturn);
  const RawFile file = b.file(2000);
  Replay r;
  replay(cut(file, {700 * 16, 1000 * 16}), r);
  CHECK(r.timeline(0) == Lines{"syscall 11200+3200 read=0", "user 14400+1600 server"});
}

TEST_CASE("a thread without a name is cut like any other") {
  TraceBuilder b;
  b.name(kind::kPID_NAME, 10, "").name(kind::kSYSCALL_NAME, 0, "read");
  b.cpu(0, 10).at(0, ev::kUSERPID, 10).folded(10, kRead, 3, 5, 7).at(2000, kRead, 3);
  Replay r;
  replay(cut(b.file(40'000), {20 * 16, 1000 * 16}), r);
  CHECK(r.info.counters.named(Severity::kDamage).empty());
  CHECK(r.timeline(0) == Lines{"user 320+15680 "});
}

TEST_CASE("a cut of some CPUs has only these") {
  TraceBuilder b = two_cpus();
  const RawFile file = b.file(3'000'000);
  Replay r;
  replay(cut(file, {0, kForever}, std::unordered_set<CpuId>{1}), r);
  CHECK(r.info.cpus == std::vector<CpuId>{1});
  CHECK(r.info.losses.empty());
}

TEST_CASE("threads that other CPUs made and named in a cut are known in it") {
  TraceBuilder b = named();
  b.task(10, 10, 0);
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10);
  b.words_at(1000, kind::kTASK, 40, {0, std::uint64_t{10} << 32 | 40});
  b.words_at(1010, kind::kPID_NAME, 40, text_words("helper")).at(1800, kTimer);
  b.words_at(2500, kind::kPID_NAME, 40, text_words("later"));
  b.cpu(1, 0).at(0, ev::kUSERPID, 0).at(1100, ev::kUSERPID, 40).at(1500, ev::kUSERPID, 0);
  const RawFile file = b.file(3000);
  Replay r;
  replay(cut(file, {16 * 500, 16 * 2000}, std::unordered_set<CpuId>{1}), r);
  const ThreadInfo& thread = r.info.threads.at(40);
  CHECK(r.names.text(thread.name) == "helper");
  CHECK(thread.process == 40);
  CHECK(thread.parent == 10);
}

TEST_CASE("threads that are over before a piece are not in it, one that still runs is") {
  constexpr std::uint32_t kBlocked = KUTRACE_SWITCH_BLOCKED;
  const auto pids_of = [](bool runs_again) {
    TraceBuilder b = named();
    b.name(kind::kSYSCALL_NAME, 60, "exit").task(10, 10, 0);
    for (const Pid pid : {11, 12, 13, 14}) b.task(pid, pid, 10);
    b.cpu(0, 11).at(0, ev::kUSERPID, 11);
    b.words_at(100, kind::kPOINT, ev::kEXIT, {11, 11});                    // a signal ends it
    b.at(110, ev::kUSERPID, 12 | kBlocked).at(200, syscall_event(60), 0);  // it calls exit
    b.at(210, ev::kUSERPID, 13 | kBlocked).at(300, kRead, 3).at(310, ev::kUSERPID, 14 | kBlocked);
    // It goes on under the number of its process's first one.
    b.words_at(400, kind::kTASK, 10,
               {std::uint64_t{14} << 32 | KUTRACE_TASK_RENUMBERED, std::uint64_t{1} << 32 | 10});
    b.at(1100, kRead, 3).at(1200, kRead | kReturn, 0);
    if (runs_again) b.at(1300, ev::kUSERPID, 12 | kBlocked);
    Replay r;
    replay(cut(b.file(2000), {16 * 1000, kForever}), r);
    std::set<Pid> pids;
    for (const ThreadLife& life : r.lives) pids.insert(life.pid);
    return pids;
  };
  CHECK(pids_of(false) == std::set<Pid>{10, 13});
  CHECK(pids_of(true) == std::set<Pid>{10, 12, 13});
}

TEST_CASE("an event-rich CPU is cut across many blocks") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10);
  Ticks t = 0;
  for (int block = 0; block < 5; ++block) {
    if (block > 0) b.new_block(t, 10, "server");
    for (int i = 0; i < 8000; ++i) b.folded(t += 30, kRead, 3, 5, 7);
  }
  const RawFile file = b.file(t + 100);
  Replay whole;
  replay(file, whole);
  Replay r;
  replay(cut(file, {16 * 100'000, 16 * 1'000'000}), r);
  const auto calls = [](const Replay& replayed, Ns from, Ns to) {
    return std::count_if(replayed.spans.begin(), replayed.spans.end(), [&](const Span& span) {
      return span.kind == SpanKind::kSyscall && span.start >= from &&
             span.start + span.duration <= to;
    });
  };
  CHECK(calls(r, 1, r.info.end - 1) == calls(whole, 16 * 100'000 + 1, 16 * 1'000'000 - 1));
  CHECK(r.info.counters.named(Severity::kDamage).empty());
}

// What is cut while calls are off shows none at its begin.
TEST_CASE("pieces know when groups were switched, and so does what is joined of them") {
  TraceBuilder b = two_cpus();
  b.fact("events", "syscalls,irqs,sched,power");
  b.fact("groups_change", "16800 -syscalls").fact("groups_change", "24000 +syscalls");
  const RawFile file = b.file(3'000'000);
  std::vector<RawFile> parts;
  parts.push_back(cut(file, {0, 1000 * 16}));
  parts.push_back(cut(file, {1200 * 16, 1800 * 16}));
  Replay piece;
  replay(parts.back(), piece);
  CHECK(piece.timeline(0).front() == "user 19200+4800 server");
  std::string bytes;
  REQUIRE(raw::concat_raw(parts, [&bytes](std::string_view some) {
    bytes += some;
    return true;
  }));
  Replay r;
  replay(opened(std::move(bytes)), r);
  Lines changes;
  for (const auto& [key, value] : r.info.facts)
    if (key == "groups_change") changes.push_back(value);
  CHECK(changes == Lines{"16800 -syscalls", "24000 +syscalls"});
}

TEST_CASE(
    "captured packets are points at their times, also in pieces and in what is joined of them") {
  const auto captured = [](const RawFile& file) {
    Replay r;
    replay(file, r);
    Lines lines;
    for (const Span& span : r.spans) {
      if (span.event != ev::kCAPTURED) continue;
      CHECK(span.kind == SpanKind::kPoint);
      CHECK(span.cpu == kNoCpu);
      CHECK(span.pid == kNoPid);
      lines.push_back(fmt::format("{} {} {}", span.start / 16, span.arg, r.names.text(span.name)));
    }
    return lines;
  };
  TraceBuilder b = two_cpus();
  // One before the recording, one behind the last event of every CPU but in the recording's time.
  for (const PacketRecord& packet :
       {PacketRecord{kStart + 1300, 0, "a > b [S]"}, PacketRecord{kStart - 5, 1, "early"},
        PacketRecord{kStart + 500, 28, "arp"}, PacketRecord{kStart + 2'900'000, 9, "late"}})
    b.text(kind::kCOUNTER, record_text(packet));
  const RawFile file = b.file(3'000'000);
  const Lines all = {"500 28 captured arp", "1300 0 captured a > b [S]", "2900000 9 captured late"};
  CHECK(captured(file) == all);
  std::vector<RawFile> parts;
  parts.push_back(cut(file, {0, 1000 * 16}));
  parts.push_back(cut(file, {1200 * 16, 1800 * 16}));
  CHECK(captured(parts.front()) == Lines{all[0]});
  CHECK(captured(parts.back()) == Lines{all[1]});
  std::string bytes;
  const auto append = [&bytes](std::string_view some) {
    bytes += some;
    return true;
  };
  REQUIRE(raw::concat_raw(parts, append));
  CHECK(captured(opened(std::exchange(bytes, {}))) == Lines{all[0], all[1]});
  raw::PacketRecords more;
  more.captured = {{kStart + 500, 28, "arp"}, {kStart + 700, 28, "arp"}};
  REQUIRE(raw::add_packets_raw(file, more, append));
  CHECK(captured(opened(bytes)) == Lines{all[0], "700 28 captured arp", all[1], all[2]});
}

TEST_CASE("traces of one boot are joined with the time between them declared as lost") {
  TraceBuilder b = two_cpus();
  const RawFile file = b.file(3'000'000);
  Replay whole;
  replay(file, whole);
  std::vector<RawFile> parts;
  parts.push_back(cut(file, {1200 * 16, 1800 * 16}));
  parts.push_back(cut(file, {0, 1000 * 16}));
  std::string bytes;
  const auto joined = raw::concat_raw(parts, [&bytes](std::string_view piece) {
    bytes += piece;
    return true;
  });
  if (!joined) FAIL(describe(joined.error()));
  Replay r;
  replay(opened(std::move(bytes)), r);
  CHECK(r.info.end == 1800 * 16);
  REQUIRE(r.info.losses.size() == 2);
  for (const LossRecord& loss : r.info.losses) {
    CHECK(loss.begin == 1000 * 16);
    CHECK(loss.end == 1200 * 16);
  }
  CHECK(r.info.counters.named(Severity::kDamage).empty());
  const Lines lines = r.timeline(0);
  CHECK(std::count(lines.begin(), lines.end(), "syscall 24080+1520 read=9") == 1);

  std::vector<RawFile> overlapping;
  overlapping.push_back(cut(file, {0, 1000 * 16}));
  overlapping.push_back(cut(file, {900 * 16, 1100 * 16}));
  CHECK(!raw::concat_raw(overlapping, [](std::string_view) { return true; }));
}

RawFile joined(const std::vector<RawFile>& parts) {
  std::string bytes;
  const auto written = raw::concat_raw(parts, [&bytes](std::string_view piece) {
    bytes += piece;
    return true;
  });
  if (!written) FAIL(describe(written.error()));
  return opened(std::move(bytes));
}

TEST_CASE("a CPU that sleeps where two pieces are joined again sleeps on") {
  const auto style = GENERATE(TraceBuilder::Style::kOwn, TraceBuilder::Style::kUpstream);
  TraceBuilder b = named(style);
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10).at(1000, kRead, 4).at(1600, kRead | kReturn, 9);
  b.at(1900, ev::kSEND_IPI, 1).at(2600, ev::kUSERPID, 20);
  b.cpu(1, 0).at(0, ev::kUSERPID, 0).at(5, ev::kMWAIT, 0x20).at(2000, kTimer);
  b.at(2010, kTimer | kReturn).at(2100, ev::kMWAIT, 0x20).at(2'500'000, kTimer);
  const RawFile file = b.file(3'000'000);
  Replay whole;
  replay(file, whole);
  // Within a sleep, between the interrupt that ends one and its arrival, where one begins.
  const Ns seam = GENERATE(Ns{700}, 1950, 2005, 2100, 2101, 1'000'000, 2'499'990);
  std::vector<RawFile> parts;
  parts.push_back(cut(file, {0, seam * 16}));
  parts.push_back(cut(file, {seam * 16, kForever}));
  Replay r;
  replay(joined(parts), r);
  CAPTURE(seam);
  CHECK(r.timeline(0) == whole.timeline(0));
  CHECK(r.timeline(1) == whole.timeline(1));
  CHECK(r.of_kind(SpanKind::kIpiArc) == whole.of_kind(SpanKind::kIpiArc));
  CHECK(r.info.losses.empty());
}

// What each thread calls lock 5 and method 7, when it uses them.
Lines names_used(const RawFile& file) {
  Replay r;
  replay(file, r);
  Lines lines;
  for (const Span& span : r.spans) {
    if (span.event != ev::kLOCK_ACQUIRE && span.event != ev::kRPC_REQUEST) continue;
    if (span.kind != SpanKind::kPoint) continue;
    lines.push_back(fmt::format("{} {} {}", span.start / 16, span.pid, r.names.text(span.name)));
  }
  return lines;
}

TEST_CASE("a piece has the names that each program gave before it, and no other program's") {
  TraceBuilder b = named();
  b.task(10, 10, 0).task(11, 10, 0).task(20, 20, 0).task(30, 30, 0);
  b.words_entry(kind::kTASK, 40, {0, std::uint64_t{20} << 32 | 40});
  const auto use = [&b](Ticks time) {
    b.at(time, ev::kLOCK_ACQUIRE, 5).at(time + 1, ev::kRPC_REQUEST, 7);
  };
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10);
  b.words_at(20, kind::kLOCK_NAME, 5, text_words("alpha"));
  b.words_at(21, kind::kMETHOD_NAME, 7, text_words("getA")).at(100, ev::kUSERPID, 20);
  b.words_at(120, kind::kLOCK_NAME, 5, text_words("beta"));
  b.words_at(121, kind::kMETHOD_NAME, 7, text_words("putB")).at(200, ev::kUSERPID, 10);
  // In the piece: the thread that runs at its begin, one that has named nothing, the other program,
  // its child, and another thread of the first program.
  use(1000);
  b.at(1100, ev::kUSERPID, 30);
  use(1110);
  b.at(1200, ev::kUSERPID, 20);
  use(1210);
  b.at(1300, ev::kUSERPID, 40);
  use(1310);
  b.words_at(1400, kind::kLOCK_NAME, 5, text_words("gamma"));
  b.at(1500, ev::kUSERPID, 11);
  use(1510);
  b.at(1600, ev::kUSERPID, 40);
  use(1610);
  const RawFile file = b.file(2000);
  const Lines used = names_used(file);
  CHECK(used == Lines{"1000 10 alpha", "1001 10 getA.7", "1110 30 lock.5", "1111 30 getA.7",
                      "1210 20 beta", "1211 20 putB.7", "1310 40 beta", "1311 40 putB.7",
                      "1510 11 alpha", "1511 11 getA.7", "1610 40 gamma", "1611 40 putB.7"});
  CHECK(names_used(cut(file, {500 * 16, kForever})) == used);
  std::vector<RawFile> parts;
  parts.push_back(cut(file, {0, 1050 * 16}));
  parts.push_back(cut(file, {1050 * 16, kForever}));
  CHECK(names_used(joined(parts)) == used);
}

TEST_CASE("a wait is told by the piece in which it ends, from the piece's begin on") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10).at(100, kRead, 3);
  b.at(110, ev::kUSERPID, 0);
  b.at(900, ev::kRUNNABLE, 10).at(910, ev::kUSERPID, 10).at(920, kRead | kReturn, 5);
  const RawFile file = b.file(2000);
  const auto waited = [&](Ticks begin, Ticks end) {
    Replay r;
    replay(cut(file, {static_cast<Ns>(begin) * 16, static_cast<Ns>(end) * 16}), r);
    const auto life = std::ranges::find(r.lives, 10, &ThreadLife::pid);
    REQUIRE(life != r.lives.end());
    return std::pair{life->waiting, life->unknown()};
  };
  CHECK(waited(0, 2000) == std::pair<Ns, Ns>{800 * 16, 0});
  CHECK(waited(500, 2000) == std::pair<Ns, Ns>{410 * 16, 0});
  CHECK(waited(0, 500) == std::pair<Ns, Ns>{0, 390 * 16});
}

TEST_CASE("a call that returns in a piece has its whole result there") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10);
  const LooseEntry wide = wide_entry({.number = {}, .argument = {}, .result = 100'000});
  b.words_at(1000, kind::kWIDE, wide.arg, wide.payload).folded(1000, kRead, 3, 200, 0);
  b.folded(2000, kRead, 3, 100, 5);
  Replay r;
  replay(cut(b.file(4000), {1100 * 16, kForever}), r);
  CHECK(r.timeline(0) == Lines{"syscall 17600+1600 read=100000", "user 19200+12800 server",
                               "syscall 32000+1600 read(3)=5", "user 33600+30400 server"});
}

TEST_CASE("what pieces say of processes, the whole says, too") {
  const auto piece = [](Ticks begin, Pid pid, const std::string& name) {
    TraceBuilder b = named();
    b.task(pid, pid, 0);
    b.text(kind::kPROCESS, fmt::format("fd {} {:x} 3 - /file/{}", pid, kStart + begin, name));
    b.text(kind::kPROCESS, fmt::format("cgroup {} {:x} /group/{}", pid, kStart + begin, name));
    b.cpu(0, pid).at(begin, ev::kUSERPID, static_cast<std::uint32_t>(pid)).at(begin + 900, kTimer);
    return cut(b.file(begin + 1000), {static_cast<Ns>(begin) * 16, kForever});
  };
  std::vector<RawFile> parts;
  parts.push_back(piece(0, 10, "one"));
  parts.push_back(piece(5000, 20, "two"));
  const RawFile whole = joined(parts);
  const auto layout = timeline::lay_out(whole);
  REQUIRE(layout);
  const timeline::ProcessRecords records = timeline::recorded_processes(*layout);
  REQUIRE(records.descriptors.size() == 2);
  CHECK(records.descriptors[0].name == "/file/one");
  CHECK(records.descriptors[1].name == "/file/two");
  CHECK(records.descriptors[1].at == kStart + 5000);
  REQUIRE(records.cgroups.size() == 2);
  CHECK(records.cgroups[1].path == "/group/two");
}

TEST_CASE("a later piece says what its threads are in, and of whom a number is now") {
  const auto piece = [](Ticks begin, Pid process, int blocked_in) {
    TraceBuilder b = named();
    b.name(kind::kSYSCALL_NAME, 202, "futex").task(10, 10, 0).task(15, process, 0, blocked_in);
    b.cpu(0, 10).at(begin, ev::kUSERPID, 10).at(begin + 300, ev::kRUNNABLE, 15);
    b.at(begin + 400, ev::kUSERPID, 15).at(begin + 410, kReturn | syscall_event(202), 0);
    b.at(begin + 500, kRead, 3).at(begin + 600, ev::kUSERPID, 10u | 1u << 30);
    return cut(b.file(begin + 1000), {static_cast<Ns>(begin) * 16, kForever});
  };
  const auto of_thread = [&](Pid process, int blocked_in) {
    std::vector<RawFile> parts;
    parts.push_back(piece(0, 10, 202));
    parts.push_back(piece(5000, process, blocked_in));
    Replay r;
    replay(joined(parts), r);
    CHECK(r.info.counters.named(Severity::kDamage).empty());
    Lines lines = r.calls;
    lines.push_back(fmt::format("{} lives", std::ranges::count(r.lives, 15, &ThreadLife::pid)));
    return lines;
  };
  // It has left the call that it was seen in.
  const Lines left = of_thread(10, 202);
  REQUIRE(left.size() == 5);
  CHECK(left[1].starts_with("8000 72000 0 15 syscall 800 3 - 1600 "));
  CHECK(left[1].ends_with("\"read\" wait_unk=70400 end=inferred"));
  CHECK(left[2].starts_with("80000 6560 0 15 syscall 8ca "));
  CHECK(left[2].ends_with("\"futex\" wait_lock=4800 wait_cpu=1600 begin=inferred"));
  CHECK(left[4] == "1 lives");
  // It may still be in it.
  CHECK(of_thread(10, 0).back() == "1 lives");
  // Another thread has its number.
  CHECK(of_thread(20, 202).back() == "2 lives");
}

RawFile chosen(const RawFile& file, const raw::ProcessChoice& choice) {
  std::string bytes;
  const auto written =
      raw::choose_processes_raw(file, choice, "some", "others", [&bytes](std::string_view piece) {
        bytes += piece;
        return true;
      });
  if (!written) FAIL(describe(written.error()));
  return opened(std::move(bytes));
}

// Words of a thread that begins.
std::vector<std::uint64_t> began(Pid process, Pid parent) {
  return {0, static_cast<std::uint64_t>(parent) << 32 | static_cast<std::uint64_t>(process)};
}

// Two threads of process 10, one of process 20, one of the kernel; an interrupt in each.
TraceBuilder three_programs() {
  TraceBuilder b = named();
  b.task(10, 10, 0).task(11, 10, 0).task(20, 20, 0, 7).task(2, 2, KUTRACE_TASK_KERNEL_THREAD);
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10).folded(100, kRead, 3, 50, 1);
  b.at(1000, ev::kUSERPID, 20).folded(1100, kRead, 4, 50, 1).at(1200, kTimer);
  b.at(1210, kTimer | kReturn).at(1300, kFault).at(1400, kFault | kReturn);
  b.at(2000, ev::kUSERPID, 2).at(2100, kTimer).at(2110, kTimer | kReturn);
  b.at(3000, ev::kUSERPID, 0).at(3500, ev::kUSERPID, 20).new_block(4000, 20, "client");
  b.at(4000, kRead, 5).at(4200, kRead | kReturn, 6).at(4300, ev::kUSERPID, 11);
  b.at(4400, kRead, 7).at(4500, kRead | kReturn, 8);
  return b;
}

TEST_CASE("what threads of other processes do is left out of a trace of all, nothing else is") {
  TraceBuilder b = three_programs();
  Replay r;
  const RawFile file = chosen(b.file(5000), {.processes = {10}, .names = {}});
  replay(file, r);
  CHECK(r.timeline(0) ==
        Lines{"user 0+1600 server", "syscall 1600+800 read(3)=1", "user 2400+13600 server",
              "hidden 16000+3200 -hidden-", "irq 19200+160 local_timer=0",
              "hidden 19360+12640 -hidden-", "kthread 32000+1600 ", "irq 33600+160 local_timer=0",
              "kthread 33760+14240 ", "idle 48000+8000 -idle-", "hidden 56000+12800 -hidden-",
              "user 68800+1600 ", "syscall 70400+1600 read(7)=8", "user 72000+8000 "});
  CHECK(r.info.counters.named(Severity::kDamage).empty());
  const auto layout = timeline::lay_out(file);
  REQUIRE(layout);
  CHECK(layout->facts.get(fact::kRecordedThreads) == "some");
}

TEST_CASE(
    "processes are chosen by number and name together, and a name holds from when it is told") {
  TraceBuilder b = three_programs();
  b.words_at(4600, kind::kPID_NAME, 10, text_words("other")).at(4700, ev::kUSERPID, 0);
  b.at(4800, ev::kUSERPID, 11);
  const auto users = [&](const raw::ProcessChoice& choice) {
    Replay r;
    replay(chosen(b.file(5000), choice), r);
    return r.of_kind(SpanKind::kSyscall).size();
  };
  CHECK(users({.processes = {10}, .names = {"serv*"}}) == 2);
  CHECK(users({.processes = {20}, .names = {"serv*"}}) == 0);
  CHECK(users({.processes = {}, .names = {"client"}}) == 2);
  CHECK(users({.processes = {}, .names = {"other"}}) == 0);
}

TEST_CASE("who is followed passes with all that it starts, before the recording and in it") {
  TraceBuilder b = named();
  // Told in any order: 30 is 20's child, which is 10's.
  b.words_entry(kind::kTASK, 30, began(30, 20)).words_entry(kind::kTASK, 20, began(20, 10));
  b.words_entry(kind::kTASK, 10, began(10, 1)).words_entry(kind::kTASK, 50, began(50, 1));
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10).at(100, ev::kUSERPID, 30);
  b.folded(110, kRead, 1, 5, 1).at(200, ev::kUSERPID, 50).folded(210, kRead, 2, 5, 1);
  b.words_at(300, kind::kTASK, 60, began(60, 50)).words_at(310, kind::kTASK, 70, began(70, 30));
  b.at(400, ev::kUSERPID, 60).folded(410, kRead, 3, 5, 1);
  b.at(500, ev::kUSERPID, 70).folded(510, kRead, 4, 5, 1);
  // The number of the one, for another that nobody starts who passes.
  b.words_at(600, kind::kTASK, 70, began(70, 50)).at(700, ev::kUSERPID, 70);
  b.folded(710, kRead, 5, 5, 1);
  const auto reads = [&](bool follow) {
    Replay r;
    replay(chosen(b.file(1000), {.processes = {10}, .names = {}, .follow = follow}), r);
    return r.of_kind(SpanKind::kSyscall);
  };
  CHECK(reads(false) == Lines{});
  CHECK(reads(true) == Lines{"30: syscall 1760+80 read(1)=1", "70: syscall 8160+80 read(4)=1"});
}

TEST_CASE("a thread of which nothing is told is left out, and one whose block is missing") {
  TraceBuilder b = named();
  b.task(10, 10, 0);
  b.cpu(0, 99).at(0, ev::kUSERPID, 99).folded(100, kRead, 1, 5, 1).at(200, ev::kUSERPID, 10);
  b.lose_block().new_block(4000, 99, "").at(4000, kRead, 5).at(4200, kRead | kReturn, 6);
  Replay r;
  replay(chosen(b.file(5000), {.processes = {10}, .names = {}}), r);
  CHECK(r.of_kind(SpanKind::kSyscall).empty());
  CHECK(r.of_kind(SpanKind::kHidden).size() == 2);
  CHECK(r.info.losses.size() == 1);
}

}  // namespace
}  // namespace kutrace::test
