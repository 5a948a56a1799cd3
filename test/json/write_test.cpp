// SPDX-License-Identifier: BSD-3-Clause
// Spans to span JSON, and back.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "emit/span_json/span_json.h"
#include "emit/span_json/span_json_header.h"
#include "format/event_table.h"
#include "read_spans.h"
#include "spans/rebuild.h"
#include "support/lines.h"
#include "support/memory_spill.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

std::string json_of(const RawFile& file, const std::string& title = "a title") {
  NameTable names;
  emit::SpanJson json;
  const auto info = spans::rebuild(file, names, json);
  REQUIRE(info);
  std::string text;
  REQUIRE(json.write(*info, names, title, [&text](std::string_view piece) { text += piece; }));
  return text;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A trace with a call, an interrupt, a wakeup, a mark, low-power idle and awkward names.
TraceBuilder awkward() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, 10, "it's \"me\"</script>").name(kind::kPID_NAME, 20, "b\\c");
  b.cpu(0, 10).at(0, ev::kUSERPID, 10).at(100, 0x800, 3).at(200, ev::kRUNNABLE, 20);
  b.at(300, 0xa00, 0xfff5).at(320, ev::kMARK_A, 41).at(400, 0x5ec).at(500, 0x7ec);
  b.at(600, 0xdff).at(620, ev::kUSERPID, 0).at(640, 0xfff).at(700, ev::kMWAIT, 64);
  b.at(5000, 0x5ec).at(5100, 0x7ec);
  b.cpu(1, 0).at(0, ev::kUSERPID, 0).at(210, 0xdff).at(220, ev::kUSERPID, 20).at(240, 0xfff);
  return b;
}

TEST_CASE("lines are in byte order, from the brace to the end") {
  TraceBuilder b = awkward();
  const Lines lines = lines_of(json_of(b.file(8000)));
  CHECK(lines.front() == "  {");
  CHECK(lines.back() == "]}");
  CHECK(lines[lines.size() - 2] == R"([999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""])");
  CHECK(std::is_sorted(lines.begin(), lines.end()));
}

TEST_CASE("a record has upstream's fields") {
  TraceBuilder b = awkward();
  const std::string text = json_of(b.file(8000));
  INFO(text);
  const auto has = [&text](const std::string& line) {
    return text.find("\n[" + line + "],\n") != std::string::npos;
  };
  CHECK(has(R"( 20.00000160, 0.00000320, 0, 10, 0, 2048, 3, 65525, 0, "read")"));
  CHECK(has(R"( 20.00000640, 0.00000001, 0, 10, 0, 518, 20, 0, 0, "runnable.20")") == false);
  CHECK(has(R"( 20.00000320, 0.00000001, 0, 10, 0, 518, 20, 0, 0, "runnable.20")"));
  CHECK(has(R"( 20.00000512, 0.00000001, 0, 10, 0, 522, 41, 0, 0, "mark_a=aa")"));
  CHECK(text.find("\"it\\u0027s__me_\\u003c/script>.10\"") != std::string::npos);
  CHECK(text.find("\"b_c.20\"") != std::string::npos);
  CHECK(text.find("65536, 1, 0, 0, \"-idlelp-\"") != std::string::npos);
  CHECK(text.find(", -3, 1, 20, 0, \"-wakeup-\"") != std::string::npos);
  CHECK(text.find(" \"tracebase\" : \"2023-11-14_22:13:00\",\n") != std::string::npos);
}

TEST_CASE("a sample is named by its address, or by what a symbol table said of it") {
  NameTable names;
  emit::SpanJson json;
  Span span;
  span.cpu = 0;
  span.pid = 7;
  span.duration = 1000;
  span.event = ev::kPC_KERNEL;
  span.kind = SpanKind::kSample;
  span.value = 0xffffffffb1721e8f;
  json.push(span);
  span.name = names.intern("do_idle");
  json.push(span);
  std::string text;
  REQUIRE(json.write({}, names, "t", [&text](std::string_view piece) { text += piece; }));
  CHECK(text.find("641, 51322, 0, 0, \"PC=ffffffffb1721e8f\"") != std::string::npos);
  CHECK(text.find("641, 51322, 0, 0, \"PC=do_idle\"") != std::string::npos);
}

TEST_CASE("the same trace gives the same bytes") {
  TraceBuilder b = awkward();
  TraceBuilder c = awkward();
  CHECK(json_of(b.file(8000)) == json_of(c.file(8000)));
  TraceBuilder d = awkward();
  CHECK(json_of(b.file(8000)) != json_of(d.file(8001)));
}

TEST_CASE("a title cannot leave its string, neither in JSON nor in a script") {
  TraceBuilder b = awkward();
  const std::string text = json_of(b.file(8000), "a\"b\\c'd</script>\ne");
  CHECK(text.find(" \"title\" : \"a_b_c\\u0027d\\u003c/script>_e\",\n") != std::string::npos);
}

TEST_CASE("what was written reads back with the same totals, to 10 ns a span") {
  TraceBuilder b = awkward();
  const RawFile file = b.file(8000);
  Replay raw;
  replay(file, raw);
  Replay back;
  read_json(json_of(file), back);
  CHECK(back.law.recorded() == Approx(static_cast<double>(raw.law.recorded())).margin(10));
  CHECK(back.info.losses.size() == raw.info.losses.size());
  for (const auto& [cpu, totals] : raw.law.cpus) {
    for (std::size_t kind = 0; kind < kExecutionKinds; ++kind) {
      INFO("CPU " << cpu << " " << span_kind_name(static_cast<SpanKind>(kind)));
      const Ns difference = totals.by_kind[kind] - back.law.cpus.at(cpu).by_kind[kind];
      CHECK(std::abs(difference) <= 10 * static_cast<Ns>(totals.spans));
    }
  }
  CHECK(back.info.counters.named(Severity::kRepair).empty());
  CHECK(back.info.counters.named(Severity::kDamage).empty());
}

TEST_CASE("what was counted of a trace is known of its JSON, and of JSON of that") {
  TraceInfo info;
  info.cpus = {0};
  info.end = 100;
  info.facts.add(fact::kSource, "test");
  info.counters.add(Counter::kLateStore, 2);
  info.counters.add(Counter::kUnseenSwitch, 3);
  info.counters.add("of_tomorrow", Severity::kDamage, 4);
  for (int times = 0; times < 2; ++times) {
    NameTable names;
    emit::SpanJson json;
    Span idle;
    idle.kind = SpanKind::kIdle;
    idle.duration = 100;
    idle.cpu = 0;
    idle.pid = 0;
    json.push(idle);
    std::string text;
    REQUIRE(json.write(info, names, "t", [&text](std::string_view piece) { text += piece; }));
    const auto file = read::JsonSpans::open(text, "made");
    REQUIRE(file);
    emit::SpanJson again;
    info = file->replay(names, again);
    CHECK(info.counters.named(Severity::kNote) == Counters::Named{{"late_store", 2}});
    CHECK(info.counters.named(Severity::kRepair) == Counters::Named{{"unseen_switch", 3}});
    CHECK(info.counters.named(Severity::kDamage) == Counters::Named{{"of_tomorrow", 4}});
    CHECK_FALSE(info.facts.has(fact::kWallClock));
  }
}

TEST_CASE("what was read writes the same bytes again") {
  TraceBuilder b = awkward();
  const std::string first = json_of(b.file(8000));
  const auto file = read::JsonSpans::open(first, "first");
  REQUIRE(file);
  NameTable names;
  emit::SpanJson json;
  const TraceInfo info = file->replay(names, json);
  std::string second;
  REQUIRE(
      json.write(info, names, "a title", [&second](std::string_view piece) { second += piece; }));
  const auto events = [](const std::string& text) { return text.substr(text.find("\"events\"")); };
  CHECK(events(second) == events(first));
}

TEST_CASE("more spans than are held come back by start time, each once") {
  MemorySpill spill;
  emit::SpanOrder order(&spill);
  constexpr std::uint64_t kSpans = 3 * emit::SpanOrder::kRunSpans + 7;
  constexpr std::uint64_t kStride = 1'000'003;  // has no factor in common with the number of them
  for (std::uint64_t i = 0; i < kSpans; ++i) {
    Span span;
    span.start = static_cast<Ns>(i * kStride % kSpans);
    order.push(span);
  }
  CHECK(order.size() == kSpans);
  CHECK(spill.size() == 3 * emit::SpanOrder::kRunSpans * sizeof(Span));
  Ns next = 0;
  bool in_order = true;
  REQUIRE(order.for_each([&](const Span& span) { in_order = in_order && span.start == next++; }));
  CHECK(in_order);
  CHECK(next == static_cast<Ns>(kSpans));
}

TEST_CASE("callouts and views of a page are written where the page looks for them") {
  const std::string text =
      "{\"tracebase\":\"2025-09-17_05:57:00\",\"events\":[[1.0,1.0,0,7,0,65543,0,0,0,\"a.7\"],"
      "[1.5,0.00000001,0,-1,-1,-4,3,4,0,\"look\"]],\"savedview\":[[\"x\",null]]}";
  const auto file = read::JsonSpans::open(text, "page");
  REQUIRE(file);
  NameTable names;
  emit::SpanJson json;
  const TraceInfo info = file->replay(names, json);
  std::string out;
  REQUIRE(json.write(info, names, "t", [&out](std::string_view piece) { out += piece; }));
  CHECK(
      out.ends_with("\"\"]\n],\n\"extra\" : [[1.5,0.00000001,0,-1,-1,-4,3,4,0,\"look\"]],\n"
                    "\"savedview\" : [[\"x\",null]]}\n"));
}

// What is written behind the events where facts of a trace hold these texts.
std::string tail_of(const std::string& extra, const std::string& callouts,
                    const std::string& views) {
  TraceInfo info;
  info.facts.add(fact::kExtra, extra);
  info.facts.add(fact::kCallouts, callouts);
  info.facts.add(fact::kSavedView, views);
  return emit::span_json_tail(info).substr(emit::span_json_tail({}).size() - 3);
}

TEST_CASE("a fact that is to be an array is written only if it is one, and cannot end a script") {
  const std::string nothing = "]}\n";
  const char* const texts[] = {"",
                               "x",
                               "1",
                               "{}",
                               "[]",
                               "[[]]",
                               "[1",
                               "[1]]",
                               "[1],\"events\":[]",
                               "[1] [2]",
                               "[1,]",
                               "[,1]",
                               "[{]}",
                               "[}",
                               "[{1:2}]",
                               "[{\"a\" 1}]",
                               "[{\"a\",1}]",
                               "[1:2]",
                               "[01]",
                               "[1.]",
                               "[.5]",
                               "[1e]",
                               "[inf]",
                               "[nil]",
                               "[\"\n\"]",
                               "[\"\\x\"]",
                               "[\"\\u12g4\"]",
                               "[\"a]",
                               "['a']",
                               "[1]</script><script>",
                               "[1]\n}"};
  for (const char* const text : texts) {
    CAPTURE(text);
    CHECK(tail_of(text, "", "") == nothing);
    CHECK(tail_of("", text, "") == nothing);
    CHECK(tail_of("", "", text) == nothing);
  }
  CHECK(tail_of(std::string(100, '[') + "1" + std::string(100, ']'), "", "") == nothing);
  CHECK(tail_of("x", "[2]", "") == "],\n\"extra\" : [2]}\n");
  CHECK(tail_of("[1]", "[]", "") == "],\n\"extra\" : [1]}\n");
  CHECK(
      tail_of(" [1 ] ", "[ \"]\"]", "[[-0.5e+3,{\"k\":[true,false,null,{}]}]]") ==
      "],\n\"extra\" :  [1 , \"]\"],\n\"savedview\" : [[-0.5e+3,{\"k\":[true,false,null,{}]}]]}\n");
  CHECK(tail_of(R"([["it's <b>\'\\'\\","\u003c"]])", "", "") ==
        "],\n\"extra\" : "
        R"([["it\u0027s \u003cb>\u0027\\\u0027\\","\u003c"]])"
        "}\n");
}

}  // namespace
}  // namespace kutrace::test
