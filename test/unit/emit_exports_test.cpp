// SPDX-License-Identifier: BSD-3-Clause
// What exports share: protocol buffers, switches out of spans, time by stacks; and what is written
// of a few spans.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/wall_clock.h"
#include "emit/chrome/chrome.h"
#include "emit/csv/csv.h"
#include "emit/folded/folded.h"
#include "emit/otlp/otlp.h"
#include "emit/stream/protobuf.h"
#include "emit/stream/stack_frames.h"
#include "emit/stream/start_of_export.h"
#include "emit/stream/switches.h"
#include "format/event_table.h"
#include "model/stack_text.h"

namespace kutrace {

namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

Span execution(CpuId cpu, Ns start, Ns end, Pid pid, NameId name = kNoName) {
  Span span;
  span.start = start;
  span.duration = end - start;
  span.cpu = cpu;
  span.pid = pid;
  span.name = name;
  span.event = ev::kUSER;
  span.kind = pid == 0 ? SpanKind::kIdle : SpanKind::kUser;
  return span;
}

Span call_piece(CpuId cpu, Ns start, Ns end, Pid pid, NameId name, unsigned call,
                SpanKind kind = SpanKind::kSyscall) {
  Span span = execution(cpu, start, end, pid, name);
  span.kind = kind;
  span.call = static_cast<CallId>(call);
  return span;
}

Span wait(Ns start, Ns end, Pid pid, char letter) {
  Span span;
  span.start = start;
  span.duration = end - start;
  span.pid = pid;
  span.event = ev::kWAIT_FIRST + static_cast<EventNum>(letter - 'a');
  span.kind = SpanKind::kWait;
  return span;
}

Span wakeup(CpuId cpu, Ns start, Ns end, Pid waker, Pid woken, CpuId target) {
  Span span;
  span.start = start;
  span.duration = end - start;
  span.cpu = cpu;
  span.pid = waker;
  span.other = woken;
  span.arg = target;
  span.kind = SpanKind::kWakeupArc;
  return span;
}

Call ended(unsigned id, Pid pid, SpanKind kind = SpanKind::kSyscall) {
  Call call;
  call.id = static_cast<CallId>(id);
  call.pid = pid;
  call.cpu = 0;
  call.kind = kind;
  return call;
}

struct Told {
  std::vector<std::string> lines;
  emit::Switches switches{
      [this](const emit::Switch& told) {
        constexpr const char* kLeft[] = {"ready", "asleep", "disk"};
        lines.push_back(fmt::format("{} CPU {}: {} {} to {}", told.time, told.cpu, told.previous,
                                    kLeft[static_cast<std::size_t>(told.left)], told.next));
      },
      [this](const emit::Waking& waking) {
        lines.push_back(fmt::format("{} CPU {}: {} wakes {}", waking.time, waking.cpu, waking.waker,
                                    waking.pid));
      }};
};

template <typename Sink>
std::string written(NameTable& names, const std::vector<Span>& spans) {
  std::string text;
  Sink sink(names, [&](std::string_view bytes) {
    text += bytes;
    return true;
  });
  TraceInfo info;
  info.end = 100;
  info.wall_usec = 1'000'000;
  sink.begin(info);
  for (const Span& span : spans) sink.push(span);
  sink.end(info);
  REQUIRE(sink.finish(info));
  return text;
}

}  // namespace

TEST_CASE("protocol buffers are those of their documentation, with lengths of fixed size") {
  emit::Protobuf bytes;
  bytes.number(1, 150);
  bytes.text(2, "testing");
  const emit::Protobuf::Message outer = bytes.begin_long(3);
  const emit::Protobuf::Message inner = bytes.begin(1);
  bytes.signed_number(1, -1);
  bytes.end(inner);
  bytes.end(outer);
  bytes.fixed64(4, 0x0102);
  CHECK(hex(bytes.bytes()) ==
        "089601"
        "120774657374696e67"
        "1a8e808000"
        "0a8b00"
        "08ffffffffffffffffff01"
        "210201000000000000");
}

TEST_CASE("a switch says why the thread left, as soon as it runs again") {
  Told told;
  told.switches.push(execution(0, 0, 10, 1));
  told.switches.push(execution(0, 10, 20, 2));
  CHECK(told.lines == std::vector<std::string>{"0 CPU 0: 0 ready to 1"});
  SECTION("it waited for the disk") {
    told.switches.push(wait(10, 15, 1, 'd'));
    told.switches.push(wakeup(0, 15, 20, 2, 1, 0));
    told.switches.push(wait(15, 20, 1, 'c'));
    told.switches.push(execution(0, 20, 30, 1));
    CHECK(told.lines[1] == "15 CPU 0: 2 wakes 1");
    CHECK(told.lines[2] == "10 CPU 0: 1 disk to 2");
  }
  SECTION("it could have run on") {
    told.switches.push(wait(10, 20, 1, 'c'));
    told.switches.push(execution(0, 20, 30, 1));
    CHECK(told.lines[1] == "10 CPU 0: 1 ready to 2");
  }
  SECTION("it was woken in the moment in which it left") {
    told.switches.push(wait(10, 20, 1, 'c'));
    told.switches.push(wakeup(0, 10, 20, 2, 1, 0));
    told.switches.push(execution(0, 20, 30, 1));
    CHECK(told.lines[1] == "11 CPU 0: 2 wakes 1");
    CHECK(told.lines[2] == "10 CPU 0: 1 asleep to 2");
  }
  SECTION("the trace ends before it runs again") {
    told.switches.finish(20);
    CHECK(told.lines[1] == "10 CPU 0: 1 asleep to 2");
    CHECK(told.lines[2] == "20 CPU 0: 2 ready to 0");
  }
}

TEST_CASE("a switch that is seen late says why the thread left, which ran elsewhere meanwhile") {
  Told told;
  told.switches.push(execution(0, 0, 10, 1));
  told.switches.push(execution(1, 0, 20, 2));
  told.switches.push(wait(10, 12, 1, 'p'));
  told.switches.push(wait(12, 20, 1, 'c'));
  told.switches.push(execution(1, 20, 30, 1));
  told.switches.push(wait(30, 40, 1, 'c'));
  told.switches.push(execution(1, 30, 40, 2));
  told.switches.push(execution(1, 40, 50, 1));
  told.switches.push(execution(0, 10, 50, 0));
  CHECK(told.lines == std::vector<std::string>{"0 CPU 0: 0 ready to 1", "0 CPU 1: 0 ready to 2",
                                               "20 CPU 1: 2 asleep to 1", "30 CPU 1: 1 ready to 2",
                                               "10 CPU 0: 1 asleep to 0"});
}

namespace {

// Those that have time of their own.
std::vector<std::string> stacks_of(const emit::StackSums& sums) {
  emit::StackFrames frames(sums);
  std::vector<std::string> lines;
  for (std::size_t node = 0; node < sums.nodes().size(); ++node) {
    if (sums.nodes()[node].time == 0) continue;
    std::string line;
    for (const std::uint32_t frame : frames.of(node)) add_frame(line, frames.texts()[frame]);
    lines.push_back(fmt::format("{} {}", line, sums.nodes()[node].time));
  }
  return lines;
}

}  // namespace

TEST_CASE("CPUs that idle at once are each in the scheduler for itself") {
  NameTable names;
  const NameId idle = names.intern("-idle-");
  const NameId scheduler = names.intern("-sched-");
  const NameId timer = names.intern("timer");
  const auto on_cpu = [](CpuId cpu, Call call) {
    call.cpu = cpu;
    return call;
  };
  emit::StackSums sums(names);
  sums.push(execution(0, 0, 10, 0, idle));
  sums.push(execution(1, 0, 20, 0, idle));
  sums.push(call_piece(0, 10, 12, 0, scheduler, 1));
  sums.push(call_piece(1, 20, 25, 0, scheduler, 2));
  sums.push(call_piece(0, 12, 13, 0, timer, 3, SpanKind::kIrq));
  sums.call(on_cpu(0, ended(3, 0, SpanKind::kIrq)));
  sums.push(call_piece(0, 13, 30, 0, scheduler, 1));
  sums.call(on_cpu(0, ended(1, 0)));
  sums.push(call_piece(1, 25, 26, 0, timer, 4, SpanKind::kIrq));
  sums.call(on_cpu(1, ended(4, 0, SpanKind::kIrq)));
  sums.push(call_piece(1, 26, 40, 0, scheduler, 2));
  TraceInfo info;
  sums.end(info);
  CHECK(stacks_of(sums) ==
        std::vector<std::string>{"-idle- 30", "-idle-;-sched- 38", "-idle-;-sched-;timer 2"});
}

TEST_CASE("folded stacks have calls in calls, interrupts of whom they interrupted, and waits") {
  NameTable names;
  const NameId server = names.intern("server");
  const NameId read = names.intern("read");
  const NameId fault = names.intern("page_fault");
  const NameId timer = names.intern("timer");
  const NameId pipe = names.intern("wait_pipe");
  emit::StackSums sums(names);
  sums.push(execution(0, 0, 10, 7, server));
  sums.push(call_piece(0, 10, 14, 7, read, 1));
  sums.push(call_piece(0, 14, 16, 7, fault, 2, SpanKind::kTrap));
  sums.push(call_piece(0, 16, 19, 7, timer, 3, SpanKind::kIrq));
  sums.call(ended(3, 0, SpanKind::kIrq));
  sums.push(call_piece(0, 19, 20, 7, fault, 2, SpanKind::kTrap));
  sums.call(ended(2, 7, SpanKind::kTrap));
  sums.push(call_piece(0, 20, 21, 7, read, 1));
  Span waiting = wait(21, 30, 7, 'p');
  waiting.call = static_cast<CallId>(1);
  waiting.name = pipe;
  sums.push(waiting);
  sums.push(execution(0, 21, 30, 0, names.intern("-idle-")));
  sums.push(call_piece(0, 30, 31, 7, read, 1));
  sums.call(ended(1, 7));
  sums.push(call_piece(0, 31, 35, 7, read, 4));
  TraceInfo info;
  info.threads[7] = {.name = server, .process = 6};
  info.threads[6] = {.name = names.intern("main"), .process = 6};
  sums.end(info);
  CHECK(stacks_of(sums) == std::vector<std::string>{"main.6;server.7 10", "main.6;server.7;read 10",
                                                    "main.6;server.7;read;page_fault 3",
                                                    "main.6;server.7;read;page_fault;timer 3",
                                                    "main.6;server.7;read;wait:pipe 9",
                                                    "-idle- 9"});
}

TEST_CASE("folded stacks are written a line each, whichever compiler orders the arguments") {
  NameTable names;
  std::string text;
  emit::FoldedSink sink(names, [&text](std::string_view bytes) {
    text += bytes;
    return true;
  });
  TraceInfo info;
  info.threads[7] = {.name = names.intern("server"), .process = 7};
  info.threads[9] = {.name = names.intern("client"), .process = 9};
  sink.push(execution(0, 0, 10, 7, names.intern("server")));
  sink.push(execution(0, 10, 25, 9, names.intern("client")));
  sink.push(execution(0, 25, 30, 0, names.intern("-idle-")));
  sink.end(info);
  REQUIRE(sink.finish(info));
  CHECK(text == "server.7 10\nclient.9 15\n-idle- 5\n");
}

TEST_CASE("CSV quotes what needs it, and leaves out what is not known") {
  NameTable names;
  Span odd = execution(1, 5, 9, 12, names.intern("a,\"b\""));
  Span read = call_piece(1, 9, 10, 12, names.intern("read"), 3);
  read.event = 0x800;
  read.has_result = true;
  read.result = {-4, true};
  CHECK(written<emit::CsvSink>(names, {odd, read, wait(10, 12, 12, 'c')}) ==
        "start_ns,dur_ns,kind,name,cpu,tid,thread,event,arg,result,rpc,ipc,call_id,to_tid\n"
        "5,4,user,\"a,\"\"b\"\"\",1,12,\"a,\"\"b\"\"\",65536,0,,0,0,,\n"
        "9,1,syscall,read,1,12,\"a,\"\"b\"\"\",2048,0,-4,0,0,3,\n"
        "10,2,wait,,,12,\"a,\"\"b\"\"\",770,0,,0,0,,\n");
}

TEST_CASE("a thread of which only a lock is known has a row with its name") {
  NameTable names;
  Span held = execution(0, 5, 9, 12, names.intern("lock"));
  held.kind = SpanKind::kLockHeld;
  held.cpu = kNoCpu;
  const std::string text = written<emit::ChromeSink>(names, {held});
  CHECK(text.contains(R"("name":"thread_name","args":{"name":"12"})"));
}

TEST_CASE("a mark within a request is its child; what does not end is left out") {
  NameTable names;
  const auto moment = [&](Ns time, SpanKind kind, EventNum event, std::uint64_t arg,
                          const char* name) {
    Span span = execution(0, time, time, 9, names.intern(name));
    span.kind = kind;
    span.event = event;
    span.arg = arg;
    return span;
  };
  const std::string text = written<emit::OtlpSink>(
      names, {moment(1, SpanKind::kPoint, ev::kRPC_REQUEST, 77, "sink.77"),
              moment(2, SpanKind::kMark, ev::kMARK_A, 0, "mark_a=work"),
              moment(3, SpanKind::kMark, ev::kMARK_A, 0, "mark_a=open"),
              moment(5, SpanKind::kMark, ev::kMARK_A, 0, "mark_a=/work"),
              moment(8, SpanKind::kPoint, ev::kRPC_RESPONSE, 77, "sink.77")});
  CHECK(text.find("\"name\":\"work\",\"kind\":1,\"startTimeUnixNano\":\"1000000002\","
                  "\"endTimeUnixNano\":\"1000000005\"") != std::string::npos);
  CHECK(text.find("\"name\":\"sink.77\",\"kind\":2,\"startTimeUnixNano\":\"1000000001\","
                  "\"endTimeUnixNano\":\"1000000008\"") != std::string::npos);
  CHECK(text.find("\"name\":\"open\"") == std::string::npos);
  CHECK(text.find("\"parentSpanId\"") < text.find("\"name\":\"work\""));
  CHECK(text.find("\"parentSpanId\"", text.find("\"name\":\"work\"")) == std::string::npos);
}

TEST_CASE("marks of one label nest, and the inner is the outer's child") {
  NameTable names;
  std::vector<Span> spans;
  for (const auto& [time, label] : {std::pair<Ns, const char*>{1, "mark_a=work"},
                                    {2, "mark_a=work"},
                                    {5, "mark_a=/work"},
                                    {8, "mark_a=/work"},
                                    {9, "mark_a=/work"}}) {
    Span span = execution(0, time, time, 9, names.intern(label));
    span.kind = SpanKind::kMark;
    span.event = ev::kMARK_A;
    spans.push_back(span);
  }
  const std::string text = written<emit::OtlpSink>(names, spans);
  const auto inner = text.find(
      "\"startTimeUnixNano\":\"1000000002\","
      "\"endTimeUnixNano\":\"1000000005\"");
  const auto outer = text.find(
      "\"startTimeUnixNano\":\"1000000001\","
      "\"endTimeUnixNano\":\"1000000008\"");
  REQUIRE(inner != std::string::npos);
  CHECK(outer > inner);
  CHECK(outer != std::string::npos);
  CHECK(text.find("\"parentSpanId\"") < inner);
}

TEST_CASE("spans of two parts of a trace have ids of their own, those of one part the same again") {
  NameTable names;
  const auto id_of = [&](Ns time) {
    std::vector<Span> spans;
    for (const auto& [at, label] :
         std::vector<std::pair<Ns, const char*>>{{time, "mark_a=job"}, {time + 3, "mark_a=/job"}}) {
      Span span = execution(0, at, at, 9, names.intern(label));
      span.kind = SpanKind::kMark;
      span.event = ev::kMARK_A;
      spans.push_back(span);
    }
    const std::string text = written<emit::OtlpSink>(names, spans);
    const auto found = text.find("\"spanId\":\"");
    REQUIRE(found != std::string::npos);
    return text.substr(found, 30);
  };
  CHECK(id_of(1) == id_of(1));
  CHECK(id_of(1) != id_of(20));
}

TEST_CASE("what many marks that never end begin with is found at once") {
  NameTable names;
  std::vector<Span> spans;
  const auto mark = [&](Ns time, const std::string& label) {
    Span span = execution(0, time, time, 9, names.intern("mark_a=" + label));
    span.kind = SpanKind::kMark;
    span.event = ev::kMARK_A;
    spans.push_back(span);
  };
  mark(1, "first");
  for (Ns i = 0; i < 60'000; ++i) mark(2 + i, fmt::format("opening.{}", i));
  mark(70'000, "/opening.5");
  for (Ns i = 0; i < 64; ++i) mark(70'001 + i, "opening.7");  // so many nest
  mark(70'100, "/first");
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = written<emit::OtlpSink>(names, spans);
  // Seconds, if all that are open were looked at for each.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  const auto at = [&](const std::string& name) { return text.find("\"name\":\"" + name + "\""); };
  CHECK(at("opening.5") < at("opening.7"));
  // It has a child, so it lasts until it is known to have no end.
  CHECK(text.find("kutrace.unfinished", at("opening.7")) < at("first"));
  CHECK(text.find("kutrace.unfinished", at("opening.5")) > at("opening.7"));
}

TEST_CASE("a wall clock that only damage can show is not known") {
  CHECK(wall_ns(1'700'000'000'000'000) == 1'700'000'000'000'000'000);
  CHECK(wall_ns(4'294'967'295'000'000) == 4'294'967'295'000'000'000);
  CHECK(wall_ns(std::uint64_t{1} << 52) + (Ns{1} << 62) > 0);
  CHECK(wall_ns(std::uint64_t{1} << 55) == 0);
  CHECK(wall_ns((std::uint64_t{1} << 56) - 1) == 0);
}

TEST_CASE("an export begins when the trace says, unless only damage can say so") {
  TraceInfo info;
  info.begin = -5;
  CHECK(emit::start_of_export(info) == 1'000'000'000);
  info.facts.add(fact::kStartMonotonicNs, 0);
  CHECK(emit::start_of_export(info) == 5);
  for (const std::uint64_t start : {~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    TraceInfo damaged;
    damaged.facts.add(fact::kStartMonotonicNs, start);
    CHECK(emit::start_of_export(damaged) == 1'000'000'000);
  }
}

TEST_CASE("a request belongs to the span of another program that it names", "[exports]") {
  NameTable names;
  Ns now = 0;
  const auto mark = [&](const std::string& label) {
    ++now;
    Span span = execution(0, now, now, 10, names.intern("mark_a=" + label));
    span.kind = SpanKind::kMark;
    span.event = ev::kMARK_A;
    return span;
  };
  const std::string parent = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";
  const std::string text = written<emit::OtlpSink>(
      names, {mark("outer"), mark("reply"), mark("traceparent=00-" + parent + "-01"), mark("inner"),
              mark("/inner"), mark("/reply"), mark("/outer")});
  const auto line_of = [&](const std::string& name) {
    const std::size_t at = text.find("\"name\":\"" + name + "\"");
    const std::size_t begin = text.rfind('\n', at);
    return text.substr(begin, at - begin);
  };
  const std::string trace = "\"traceId\":\"4bf92f3577b34da6a3ce929d0e0e4736\"";
  CHECK(line_of("reply").find(trace) != std::string::npos);
  CHECK(line_of("reply").find("\"parentSpanId\":\"00f067aa0ba902b7\"") != std::string::npos);
  CHECK(line_of("inner").find(trace) != std::string::npos);
  CHECK(line_of("inner").find("00f067aa0ba902b7") == std::string::npos);
  CHECK(line_of("outer").find(trace) == std::string::npos);
  CHECK(text.find("traceparent") == std::string::npos);
}

TEST_CASE("what W3C calls invalid names no span", "[exports]") {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const std::string span = "00f067aa0ba902b7";
  const auto valid = [](const std::string& text) {
    return emit::trace_context("traceparent=" + text).has_value();
  };
  CHECK(valid("00-" + trace + "-" + span + "-00"));
  CHECK(valid("cc-" + trace + "-" + span + "-01-what-comes-later"));
  CHECK_FALSE(valid("00-" + trace + "-" + span + "-01-more"));
  CHECK_FALSE(valid("cc-" + trace + "-" + span + "-01more"));
  CHECK_FALSE(valid("ff-" + trace + "-" + span + "-01"));
  CHECK_FALSE(valid("00-" + trace + "-" + span + "-1"));
  CHECK_FALSE(valid("00-" + std::string(32, '0') + "-" + span + "-01"));
  CHECK_FALSE(valid("00-" + trace + "-" + std::string(16, '0') + "-01"));
  CHECK_FALSE(valid("00-" + trace + "-00F067AA0BA902B7-01"));
  CHECK_FALSE(valid("00_" + trace + "-" + span + "-01"));
  CHECK_FALSE(emit::trace_context("00-" + trace + "-" + span + "-01").has_value());
}

}  // namespace kutrace
