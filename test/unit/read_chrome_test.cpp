// SPDX-License-Identifier: BSD-3-Clause
// Chrome's JSON becomes spans: what this project exported as it was, what other programs wrote as
// functions, RPCs, marks and readings of threads that ran nobody knows where.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "emit/chrome/chrome.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "model/readings.h"
#include "read/chrome/chrome_form.h"
#include "read/trace/trace_forms.h"
#include "reports/law_check.h"
#include "support/chrome_texts.h"
#include "support/foreign_traces.h"
#include "support/imported_trace.h"
#include "support/lines.h"
#include "support/spans_of.h"

namespace kutrace::test {
namespace {

// What a reader of spans says of a file; the law is checked on the way.
struct Read : SpanSink {
  NameTable names;
  std::vector<Span> spans;
  std::vector<Call> calls;
  std::vector<ThreadLife> lives;
  TraceInfo info;
  reports::LawReport law;

  explicit Read(std::string_view text) {
    const std::string file(text);
    REQUIRE(read::find_form(file) == &read::kChromeForm);
    auto reader = opened(file);
    if (!reader) FAIL(describe(reader.error()));
    reports::LawCheck check((*reader)->tells_lives() ? reports::Nesting::kLivesAlone
                                                     : reports::Nesting::kNotTold);
    BothSinks both(check, *this);
    auto told = (*reader)->replay(names, both, {}, {});
    REQUIRE(told);
    info = *told;
    law = check.report();
    for (const std::string& violation : law.violations.first) UNSCOPED_INFO(violation);
    REQUIRE(law.holds());
  }
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;

  void push(const Span& span) override { spans.push_back(span); }
  void call(const Call& call) override { calls.push_back(call); }
  void life(const ThreadLife& life) override { lives.push_back(life); }

  // "pid start+duration name depth own", in the order of their starts.
  Lines functions() const {
    std::vector<Span> found;
    std::ranges::copy_if(spans, std::back_inserter(found),
                         [](const Span& span) { return span.kind == SpanKind::kFunction; });
    std::ranges::stable_sort(found, {},
                             [](const Span& span) { return std::pair(span.start, span.arg); });
    Lines lines;
    for (const Span& span : found)
      lines.push_back(fmt::format("{} {}+{} {} {} {}", span.pid, span.start, span.duration,
                                  names.text(span.name), span.arg, span.value));
    return lines;
  }
  Lines moments() const {
    Lines lines;
    for (const Span& span : spans)
      if (span.kind == SpanKind::kMark || span.kind == SpanKind::kPoint)
        lines.push_back(fmt::format("{} {} {:x} {}", span.pid, span.start,
                                    static_cast<unsigned>(span.event), names.text(span.name)));
    return lines;
  }
  std::uint64_t counted(Counter counter) const { return info.counters.of(counter); }
};

std::string events(std::string_view text) { return fmt::format(R"({{"traceEvents":[{}]}})", text); }

// An event of thread 2 in process 1.
std::string event(std::string_view fields) {
  return fmt::format(R"({{"pid":1,"tid":2,{}}})", fields);
}

std::string error_of(std::string_view text) {
  auto reader = opened(std::string(text));
  REQUIRE(!reader);
  return describe(reader.error());
}

TEST_CASE("slices of a thread are functions that lie in one another") {
  const Read read(kViztracerJson);
  CHECK(read.functions() == Lines{"70 0+100125 root (a.py:9) 0 69875",
                                  "70 10500+20250 leaf (a.py:3) 1 20250",
                                  "70 40000+10000 leaf (a.py:3) 1 10000"});
  CHECK(read.moments() == Lines{"71 50000 20a mark_a=found"});
  CHECK(read.info.begin == 0);
  CHECK(read.info.end == 100'125);
  CHECK(read.names.text(read.info.threads.at(70).name) == "MainThread");
  CHECK(read.info.threads.at(71).process == 70);
}

TEST_CASE("nobody knows who ran where no CPU is told of") {
  const Read read(kViztracerJson);
  REQUIRE(read.info.losses.size() == 1);
  CHECK(read.info.losses[0].reason == KUTRACE_LOSS_NO_CPUS);
  CHECK(read.law.cpus.at(0).loss() == read.law.recorded());
  CHECK(read.law.threads.count == 2);
  CHECK(read.law.threads.unknown == read.law.threads.total);
  REQUIRE(read.lives.size() == 2);
  CHECK(read.lives[0].duration() == 100'125);
}

TEST_CASE("counters are readings, of which the fractions are rounded") {
  const Read read(kViztracerJson);
  const Readings readings(read.info.facts);
  REQUIRE(readings.series().size() == 2);
  CHECK(readings.series()[0].told.name == "queue.bytes");
  CHECK(readings.series()[0].at(60'000) == 2);
  CHECK(readings.series()[1].told.name == "queue.length");
  CHECK(readings.series()[1].told.process == 70);
}

TEST_CASE("an array that does not end is read to its end") {
  const Read read(kCutJson);
  CHECK(read.counted(Counter::kFileCut) == 1);
  CHECK(read.counted(Counter::kJsonRecordUnreadable) == 0);
  CHECK(read.functions() == Lines{"9 0+30000 Task 0 10000", "9 10000+20000 Layout 1 20000"});
  CHECK(read.counted(Counter::kFunctionEndNotSeen) == 1);
  CHECK(read.counted(Counter::kFunctionBeginNotSeen) == 1);
  CHECK(read.counted(Counter::kChromeEventLeftOut) == 1);
}

TEST_CASE("an asynchronous slice is an RPC from one thread to another") {
  const Read read(kCutJson);
  CHECK(read.moments() == Lines{"9 20000 201 fetch.1", "10 60000 202 fetch.1"});
  const Read nested(events(event(R"("ph":"b","ts":1,"id":0,"cat":"c","name":"S")") + "," +
                           event(R"("ph":"b","ts":2,"id":0,"cat":"c","name":"S")") + "," +
                           event(R"("ph":"e","ts":3,"id":0,"cat":"c","name":"S")") + "," +
                           event(R"("ph":"e","ts":4,"id2":{"local":"0"},"cat":"c","name":"S")") +
                           "," + event(R"("ph":"e","ts":5,"id":0,"cat":"c","name":"S")")));
  CHECK(nested.moments() ==
        Lines{"2 0 201 S.1", "2 1000 201 S.2", "2 2000 202 S.2", "2 4000 202 S.1"});
  CHECK(nested.counted(Counter::kChromeAsyncNotWhole) == 1);
}

TEST_CASE(
    "an end without a name ends the innermost slice, and each slice has a number of its own") {
  const Read read(events(event(R"("ph":"b","ts":1,"id":0,"cat":"c","name":"S")") + "," +
                         event(R"("ph":"b","ts":2,"id":0,"cat":"c","name":"T")") + "," +
                         event(R"("ph":"b","ts":3,"id":0,"cat":"c","name":"U")") + "," +
                         event(R"("ph":"e","ts":4,"id":0,"cat":"c","name":"T")") + "," +
                         event(R"("ph":"e","ts":5,"id":0,"cat":"c")") + "," +
                         event(R"("ph":"e","ts":6,"id":0,"cat":"c")") + "," +
                         event(R"("ph":"b","ts":7,"id":0,"cat":"c","name":"V")") + "," +
                         event(R"("ph":"e","ts":8,"id":0,"cat":"c","name":"V")")));
  CHECK(read.moments() == Lines{"2 0 201 S.1", "2 1000 201 T.2", "2 2000 201 U.3", "2 3000 202 T.2",
                                "2 4000 202 U.3", "2 5000 202 S.1", "2 6000 201 V.4",
                                "2 7000 202 V.4"});
  CHECK(read.counted(Counter::kChromeAsyncNotWhole) == 0);
}

TEST_CASE("threads have the file's numbers where these are threads' and theirs alone") {
  const Read read(events(R"({"ph":"X","pid":1,"tid":5,"ts":0,"dur":1,"name":"a"},
      {"ph":"X","pid":2,"tid":5,"ts":0,"dur":1,"name":"b"},
      {"ph":"X","pid":"browser","tid":"main","ts":0,"dur":1,"name":"c"},
      {"ph":"X","pid":1,"tid":123456789012345,"ts":0,"dur":1,"name":"d"},
      {"ph":"X","pid":0,"tid":0,"ts":0,"dur":1,"name":"e"})"));
  const int made_up = 1 << 30;
  std::vector<Pid> pids;
  for (const ThreadLife& life : read.lives) pids.push_back(life.pid);
  CHECK(pids.size() == 5);
  CHECK(pids[0] == 5);
  std::ranges::sort(pids);
  CHECK(std::ranges::adjacent_find(pids) == pids.end());
  CHECK(std::ranges::count_if(pids, [&](Pid pid) { return pid >= made_up; }) == 4);
}

TEST_CASE("times may be fractions, texts and out of order, and must be times") {
  const Read read(events(event(R"("ph":"X","ts":"30.5","dur":"1","name":"text")") + "," +
                         event(R"("ph":"X","ts":1e1,"dur":0.0015,"name":"early")") + "," +
                         event(R"("ph":"X","ts":1e308,"dur":1,"name":"far")") + "," +
                         event(R"("ph":"X","ts":20,"dur":-1,"name":"negative")") + "," +
                         event(R"("ph":"X","ts":true,"dur":1,"name":"word")") + "," +
                         event(R"("ph":"B","name":"timeless")") + "," + event(R"("ts":1)") + ",5," +
                         event(R"("ph":"X","ts":NaN,"dur":1,"name":"none")") + "," +
                         event(R"("ph":"X","ts":20,"name":"endless")")));
  CHECK(read.functions() == Lines{"2 0+2 early 0 2", "2 20500+1000 text 0 1000"});
  CHECK(read.counted(Counter::kJsonRecordWithoutMeaning) == 5);
  CHECK(read.counted(Counter::kJsonRecordUnreadable) == 1);
  CHECK(read.counted(Counter::kJsonRecordOfOtherShape) == 2);
}

TEST_CASE("slices that overlap stay as they are") {
  const Read read(events(event(R"("ph":"X","ts":0,"dur":10,"name":"a")") + "," +
                         event(R"("ph":"X","ts":5,"dur":10,"name":"b")") + "," +
                         event(R"("ph":"X","ts":7,"dur":2,"name":"c")")));
  CHECK(read.functions() ==
        Lines{"2 0+10000 a 0 5000", "2 5000+10000 b 1 8000", "2 7000+2000 c 2 2000"});
  CHECK(read.counted(Counter::kChromeSliceOverlap) == 1);
}

TEST_CASE("slices that have very many around them are left out") {
  std::string text;
  for (int i = 0; i < 1100; ++i)
    text += event(fmt::format(R"("ph":"X","ts":{},"dur":{},"name":"f")", i, 4000 - i)) + ",";
  text.pop_back();
  CHECK(Read(events(text)).counted(Counter::kFunctionsLeftOut) == 76);
}

TEST_CASE("what stands beside the events is told") {
  const Read read(R"({"metadata":{"cpu-brand":"a CPU"},"otherData":{"title":"a title"},
      "traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":5,"dur":1,"name":"a"}],
      "beginningOfTime":1000000,"systemTraceEvents":"# tracer: nop\n"})");
  CHECK(read.info.cpu_model == "a CPU");
  CHECK(read.info.wall_usec == 1'000'005);
  Lines unseen;
  for (const auto& [key, value] : read.info.facts)
    if (key == fact::kUnseen.text) unseen.push_back(value);
  CHECK(unseen == Lines{"who ran, and on which CPU", "the kernel's events in systemTraceEvents"});
}

TEST_CASE("other JSON is not taken for Chrome's") {
  const auto takes = [](std::string_view text) {
    return read::find_form(text) == &read::kChromeForm;
  };
  CHECK(takes("\xef\xbb\xbf [ {\"name\":\"a\",\"ph\":\"X\""));
  CHECK(takes(R"({"otherData":{},"traceEvents":[)"));
  CHECK_FALSE(takes(R"({"tracebase":"a","events":[],"traceEvents":[]})"));
  CHECK_FALSE(takes(R"({"$schema":"https://www.speedscope.app/file-format-schema.json"})"));
  CHECK_FALSE(takes(R"({"resourceSpans":[{"scopeSpans":[]}]})"));
  CHECK_FALSE(takes(R"([{"a":1}])"));
  CHECK_FALSE(takes("[1,2]"));
  CHECK_FALSE(takes("\x1e{\"type\":\"preamble\",\"version\":2}"));
}

TEST_CASE("an instant of an export does not stand for what a CPU did") {
  const Read read(events(
      R"({"ph":"X","pid":2000000001,"tid":2000001000,"cat":"user","name":"a","ts":0,"dur":5,
          "args":{"thread":7}},
         {"ph":"i","pid":2000000001,"tid":2000001000,"cat":"user","name":"a","ts":2},
         {"ph":"i","pid":2000000001,"tid":2000001000,"cat":"point","name":"b","ts":2,"dur":-4},
         {"ph":"b","pid":2000000002,"tid":7,"cat":"idle","name":"a","ts":2,"id":1})"));
  REQUIRE(read.spans.size() == 2);
  CHECK(read.spans[0].kind == SpanKind::kPoint);
  CHECK(read.spans[0].duration == 0);
  CHECK(read.counted(Counter::kChromeEventLeftOut) == 2);
}

TEST_CASE("calls of an export have the sums of what lies in them") {
  const Read read(events(
      R"({"ph":"X","pid":2000000001,"tid":2000001000,"cat":"user","name":"a","ts":0,"dur":5,
          "args":{"thread":7}},
         {"ph":"X","pid":2000000001,"tid":2000001000,"cat":"syscall","name":"read","ts":5,"dur":2,
          "args":{"thread":7}},
         {"ph":"X","pid":2000000001,"tid":2000001000,"cat":"idle","name":"-idle-","ts":7,"dur":4,
          "args":{"thread":0}},
         {"ph":"X","pid":2000000002,"tid":7,"cat":"wait","name":"wait_disk","ts":7,"dur":4},
         {"ph":"X","pid":2000000001,"tid":2000001000,"cat":"syscall","name":"read","ts":11,"dur":1,
          "args":{"thread":7}},
         {"ph":"X","pid":2000000002,"tid":7,"cat":"syscall","name":"read","ts":5,"dur":7,
          "args":{"result":-5}})"));
  REQUIRE(read.calls.size() == 1);
  const Call& call = read.calls[0];
  CHECK(call.own == 3000);
  CHECK(call.on_cpu == 3000);
  CHECK(call.blocked == 4000);
  CHECK(call.pieces == 2);
  CHECK(call.unknown() == 0);
  CHECK(call.result.value == -5);
  CHECK(call.event == syscall_event(0));
}

TEST_CASE("a file without an event that can be used is refused") {
  CHECK(error_of(events("")).find("has no event that can be used") != std::string::npos);
  CHECK(error_of(events(event(R"("ph":"X","ts":1)"))).find("byte") != std::string::npos);
}

// The trace's own spans that stand in an export, as text.
Lines told(const std::vector<Span>& spans, const NameTable& names, SpanKind kind) {
  Lines lines;
  for (const Span& span : spans)
    if (span.kind == kind)
      lines.push_back(fmt::format("{} {} {}+{} {}", span.cpu, span.pid, span.start, span.duration,
                                  names.text(span.name)));
  std::ranges::sort(lines);
  return lines;
}

std::string exported(Replay& original, const std::vector<Span>& spans,
                     const std::vector<Call>& calls = {}) {
  std::string text;
  emit::ChromeSink sink(original.names, [&text](std::string_view bytes) {
    text += bytes;
    return true;
  });
  sink.begin(original.info);
  for (const Span& span : spans) sink.push(span);
  for (const Call& call : calls) sink.call(call);
  REQUIRE(sink.finish(original.info));
  return text;
}

TEST_CASE("frequencies are of CPUs that there can be") {
  Replay original = replayed(dat_file(foreign_mix(3), {}));
  std::vector<Span> spans = original.spans;
  std::erase_if(spans, [](const Span& span) { return span.kind == SpanKind::kFrequency; });
  for (const CpuId cpu : {0U, 65'536U, 4'000'000'000U}) {
    Span frequency;
    frequency.kind = SpanKind::kFrequency;
    frequency.duration = 1000;
    frequency.arg = 1000;
    frequency.cpu = cpu;
    spans.push_back(frequency);
  }
  const Read read(exported(original, spans));
  CHECK(told(read.spans, read.names, SpanKind::kFrequency).size() == 1);
  CHECK(read.counted(Counter::kChromeEventLeftOut) == 2);
}

TEST_CASE("a call comes back with what was seen of it") {
  Replay original = replayed(dat_file(foreign_mix(3), {}));
  std::vector<Call> calls;
  for (const auto& [begun, ended] : {std::pair(true, true), {false, true}, {true, false}}) {
    Call call;
    call.pid = 10;
    call.end = 1000;
    call.name = original.names.intern("clone");
    call.begin_inferred = !begun;
    call.end_inferred = !ended;
    call.has_result = ended;
    calls.push_back(call);
  }
  const Read read(exported(original, original.spans, calls));
  REQUIRE(read.calls.size() == calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CHECK(read.calls[i].begin_inferred == calls[i].begin_inferred);
    CHECK(read.calls[i].end_inferred == calls[i].end_inferred);
    CHECK(read.calls[i].has_result == calls[i].has_result);
  }
}

TEST_CASE("an export comes back as it was") {
  Replay original = replayed(dat_file(foreign_mix(3), {}));
  const Read read(exported(original, original.spans));
  CHECK(read.info.begin == original.info.begin);
  CHECK(read.info.end == original.info.end);
  CHECK(read.info.cpus == original.info.cpus);
  for (std::size_t i = 0; i < kExecutionKinds; ++i) {
    const auto kind = static_cast<SpanKind>(i);
    INFO(span_kind_name(kind));
    CHECK(told(read.spans, read.names, kind) == told(original.spans, original.names, kind));
  }
  CHECK(told(read.spans, read.names, SpanKind::kWait) ==
        told(original.spans, original.names, SpanKind::kWait));
  CHECK(read.info.counters.named(Severity::kRepair).empty());
  CHECK(read.info.counters.named(Severity::kNote).empty());
}

}  // namespace
}  // namespace kutrace::test
