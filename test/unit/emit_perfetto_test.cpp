// SPDX-License-Identifier: BSD-3-Clause
// What is exported for Perfetto and read again: calls whose returns nobody saw.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <tuple>

#include "emit/perfetto/perfetto.h"
#include "format/event_table.h"
#include "support/imported_trace.h"
#include "support/lines.h"
#include "support/spans_of.h"

namespace kutrace::test {
namespace {

// A trace of two CPUs, 100 ns long. All is on the first if not said otherwise.
class Exported {
 public:
  explicit Exported(const std::string& uname = "Linux h 6.1 #1 x86_64") {
    info_.end = 100;
    info_.cpus = {0, 1};
    if (!uname.empty()) info_.facts.add(fact::kUname, uname);
    sink_.begin(info_);
  }
  Exported& runs(Ns start, Ns end, Pid pid, CpuId cpu = 0) {
    Span span;
    span.start = start;
    span.duration = end - start;
    span.cpu = cpu;
    span.pid = pid;
    span.thread = ThreadId{static_cast<std::uint32_t>(pid)};
    span.kind = pid == 0 ? SpanKind::kIdle : SpanKind::kUser;
    span.event = ev::kUSER;
    sink_.push(span);
    return *this;
  }
  Exported& is_ready(Ns start, Pid pid) {
    Span span;
    span.start = start;
    span.duration = info_.end - start;
    span.pid = pid;
    span.kind = SpanKind::kWait;
    span.event = ev::kWAIT_FIRST + ('c' - 'a');
    sink_.push(span);
    return *this;
  }
  Exported& wakes(Ns time, Pid pid, Pid woken) {
    Span span;
    span.start = time;
    span.pid = pid;
    span.arg = static_cast<std::uint64_t>(woken);
    span.kind = SpanKind::kPoint;
    span.event = ev::kRUNNABLE;
    sink_.push(span);
    return *this;
  }
  Exported& calls(Ns begin, Ns end, Pid pid, unsigned number, const char* name = "",
                  CpuId cpu = 0) {
    Call call;
    call.name = names_.intern(name);
    call.id = CallId{1};
    call.pid = pid;
    call.thread = ThreadId{static_cast<std::uint32_t>(pid)};
    call.cpu = cpu;
    call.event = syscall_event(number);
    call.begin = begin;
    call.end = end;
    call.end_inferred = true;
    sink_.call(call);
    return *this;
  }
  std::string bytes() {
    sink_.end(info_);
    REQUIRE(sink_.finish(info_));
    return bytes_;
  }

 private:
  NameTable names_;
  std::string bytes_;
  emit::PerfettoSink sink_{names_, [this](std::string_view bytes) {
                             bytes_ += bytes;
                             return true;
                           }};
  TraceInfo info_;
};

TEST_CASE("a thread that ended in its last call has ended where the export is read") {
  constexpr unsigned kExitGroup = 231;
  Exported trace;
  trace.runs(0, 40, 10).calls(20, 40, 10, kExitGroup).runs(40, 100, 20);
  const Replay r = replayed(trace.bytes());
  CHECK(r.timeline(0)[1] == "syscall 20+20 exit_group");
  const auto life = std::ranges::find(r.lives, 10, &ThreadLife::pid);
  REQUIRE(life != r.lives.end());
  CHECK(life->end == 40);
}

TEST_CASE("where no machine is told, calls have the numbers of that whose names they have") {
  const auto [number, name, expected] = GENERATE(
      std::tuple(0U, "read", "syscall 20+80 read"), std::tuple(63U, "read", "syscall 20+80 read"),
      // FreeBSD's, a call that all machines number so, and none.
      std::tuple(3U, "read", "user 0+100 "), std::tuple(434U, "pidfd_open", "user 0+100 "),
      std::tuple(999U, "read", "user 0+100 "));
  Exported trace("");
  const Replay r = replayed(trace.runs(0, 100, 10).calls(20, 100, 10, number, name).bytes());
  CHECK(r.timeline(0).back() == expected);
}

TEST_CASE("a return that was not seen is told without a result, where its thread goes on") {
  constexpr unsigned kFutex = 202;
  // Id and, where it has one, result of sys_exit.
  const std::string exit("\x08\xca\x01", 3);
  const auto returns = [&](Exported& trace) {
    const std::string bytes = trace.bytes();
    std::size_t count = 0;
    for (auto at = bytes.find(exit); at != bytes.npos; at = bytes.find(exit, at + 1)) ++count;
    return count - 1;  // sys_enter is one
  };
  Exported killed;
  killed.runs(0, 40, 10).calls(20, 40, 10, kFutex).runs(40, 100, 20);
  CHECK(returns(killed) == 0);
  Exported going_on;
  going_on.runs(0, 40, 10).calls(20, 40, 10, kFutex).runs(40, 60, 20).runs(60, 100, 10);
  CHECK(returns(going_on) == 1);
}

TEST_CASE("a return that was not seen comes before what its thread calls on another CPU then") {
  constexpr unsigned kFutex = 202;
  constexpr unsigned kPoll = 7;
  Exported trace;
  trace.runs(0, 40, 10, 1).calls(20, 40, 10, kFutex, "", 1);
  trace.runs(40, 60, 10).calls(40, 60, 10, kPoll);
  const std::string bytes = trace.bytes();
  // Of the bundles, that of the first CPU comes first: in it, sys_exit stands before sys_enter.
  const auto left = bytes.find("\xd2\x14");
  const auto entered = bytes.find("\xca\x14");
  REQUIRE(left != bytes.npos);
  CHECK(left < entered);
}

TEST_CASE("who is ready until the trace ends is so where the export is read") {
  // Of sched_switch: prev_pid, prev_prio, prev_state. Of sched_waking: pid, prio, success.
  const std::string left("\x10\x0a\x18\x78\x20", 5);
  const std::string waking("\x10\x0a\x18\x78\x20\x01", 6);
  const auto state = [&](const std::string& bytes) { return bytes.at(bytes.find(left) + 5); };
  Exported preempted;
  preempted.runs(0, 40, 10).runs(40, 100, 20).is_ready(40, 10);
  CHECK(state(preempted.bytes()) == 0);
  Exported woken;
  woken.runs(0, 40, 10).runs(40, 100, 20).wakes(70, 20, 10).is_ready(70, 10);
  const std::string bytes = woken.bytes();
  CHECK(state(bytes) == 1);
  CHECK(bytes.find(waking, bytes.find(left) + 6) != bytes.npos);
  Exported asleep;
  asleep.runs(0, 40, 10).runs(40, 100, 20);
  const std::string sleeps = asleep.bytes();
  CHECK(state(sleeps) == 1);
  CHECK(sleeps.find(waking, sleeps.find(left) + 6) == sleeps.npos);
}

}  // namespace
}  // namespace kutrace::test
