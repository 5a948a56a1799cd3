// SPDX-License-Identifier: BSD-3-Clause
// Groups of events that are switched while it is recorded: what they would have told is not made
// up.
#include <catch2/catch.hpp>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

// What is switched at 20 and at 40 ticks of 16 ns.
TraceBuilder switched(const std::string& group) {
  TraceBuilder b;
  b.fact("events", "syscalls,irqs,softirqs,faults,sched,wakeups");
  b.fact("groups_change", "320 -" + group).fact("groups_change", "640 +" + group);
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kIRQ_NAME, 0xec, "local_timer").name(kind::kTRAP_NAME, 14, "page_fault");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  return b;
}

using Counts = std::map<std::string, std::uint64_t>;

TEST_CASE("a call that is open when calls are switched off ends there") {
  TraceBuilder b = switched("syscalls");
  b.cpu(0, 10, "server").at(10, kRead, 3).at(50, kRead | kReturn, 7);
  b.at(55, kWrite).at(60, kWrite | kReturn, 1);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) == Lines{"user 0+160 server", "syscall 160+160 read(3)",
                               "user 320+320 server", "syscall 640+160 read=7",
                               "user 800+80 server", "syscall 880+80 write=1",
                               "user 960+640 server"});
  CHECK(r.info.counters.named(Severity::kRepair) == Counts{{"began_before_start", 1}});
}

TEST_CASE("what stands where its group is off is left out, and counted") {
  TraceBuilder b = switched("syscalls");
  b.cpu(0, 10, "server")
      .at(0, ev::kUSERPID, 10)
      .at(22, kRead, 3)
      .at(30, kRead | kReturn, 7)
      .folded(38, kWrite, 1, 4, 1);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) == Lines{"user 0+320 server", "user 320+320 server", "user 640+960 server"});
  CHECK(r.info.counters.named(Severity::kNote).at("event_of_group_off") == 3);
}

TEST_CASE("an interrupt outlasts the call around it") {
  TraceBuilder b = switched("syscalls");
  b.cpu(0, 10, "server").at(5, kRead, 3).at(15, kTimer).at(25, kTimer | kReturn);
  const Replay r = replayed(b, 50);
  CHECK(r.timeline(0) == Lines{"user 0+80 server", "syscall 80+160 read(3)",
                               "irq 240+80 local_timer", "irq 320+80 local_timer=0",
                               "user 400+240 server", "user 640+160 server"});
}

// It does not run while calls are off, so it cannot have left its own.
TEST_CASE("a thread that does not run meanwhile is still in its call") {
  TraceBuilder b = switched("syscalls");
  b.cpu(0, 10, "server").at(5, kRead, 3).at(10, ev::kUSERPID, KUTRACE_SWITCH_BLOCKED | 0);
  b.at(45, ev::kRUNNABLE, 10).at(50, ev::kUSERPID, 10).at(60, kRead | kReturn, 7);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0).at(r.timeline(0).size() - 2) == "syscall 800+160 read(3)=7");
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

TEST_CASE("one that runs meanwhile may have left it") {
  TraceBuilder b = switched("syscalls");
  b.cpu(0, 10, "server").at(5, kRead, 3).at(10, ev::kUSERPID, KUTRACE_SWITCH_BLOCKED | 0);
  b.at(25, ev::kRUNNABLE, 10).at(30, ev::kUSERPID, 10).at(60, kWrite | kReturn, 7);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) == Lines{"user 0+80 server", "syscall 80+80 read(3)", "idle 160+160 -idle-",
                               "idle 320+160 -idle-", "user 480+160 server",
                               "syscall 640+320 write=7", "user 960+640 server"});
}

TEST_CASE("without wakeups, a wait is known until they were switched off") {
  TraceBuilder b = switched("wakeups");
  b.cpu(0, 10, "server").at(5, kRead, 3).at(10, ev::kUSERPID, KUTRACE_SWITCH_BLOCKED | 0);
  b.at(30, ev::kUSERPID, KUTRACE_SWITCH_RUNNABLE | 10).at(35, kRead | kReturn, 7);
  const Replay r = replayed(b, 100);
  CHECK(r.of_kind(SpanKind::kWait) ==
        Lines{"10: wait 160+160 wait_pipe", "10: wait 320+160 wait_unk"});
}

TEST_CASE("a wakeup that is seen later proves that the thread was blocked until then") {
  TraceBuilder b = switched("wakeups");
  b.cpu(0, 10, "server").at(5, kRead, 3).at(10, ev::kUSERPID, KUTRACE_SWITCH_BLOCKED | 0);
  b.at(45, ev::kRUNNABLE, 10).at(50, ev::kUSERPID, 10).at(55, kRead | kReturn, 7);
  CHECK(replayed(b, 100).of_kind(SpanKind::kWait) ==
        Lines{"10: wait 160+560 wait_pipe", "10: wait 720+80 wait_cpu"});
}

TEST_CASE("a thread that was preempted waits for a CPU, with wakeups or without") {
  TraceBuilder b = switched("wakeups");
  b.cpu(0, 10, "server").at(10, ev::kUSERPID, KUTRACE_SWITCH_RUNNABLE | 20);
  b.at(30, ev::kUSERPID, KUTRACE_SWITCH_RUNNABLE | 10);
  CHECK(replayed(b, 100).of_kind(SpanKind::kWait).front() == "10: wait 160+320 wait_cpu");
}

// The thread that runs may be interrupted by what really wakes the other one.
TEST_CASE("without interrupts, nobody is said to have woken a thread") {
  TraceBuilder b = switched("irqs");
  b.cpu(0, 10, "server").at(5, kRead, 3).at(10, ev::kUSERPID, KUTRACE_SWITCH_BLOCKED | 20);
  b.at(15, kWrite, 1).at(25, ev::kRUNNABLE, 10).at(30, kWrite | kReturn, 1);
  b.at(35, ev::kUSERPID, KUTRACE_SWITCH_RUNNABLE | 10).at(38, kRead | kReturn, 1);
  const Replay r = replayed(b, 100);
  CHECK(r.of_kind(SpanKind::kWakeupArc).empty());
  CHECK(r.of_kind(SpanKind::kWait).front() == "10: wait 160+240 wait_pipe");
}

TEST_CASE("a group that is off at the start is off until it is switched on") {
  TraceBuilder b;
  b.fact("events", "irqs,sched,wakeups").fact("groups_change", "640 +syscalls");
  b.name(kind::kSYSCALL_NAME, 1, "write").name(kind::kPID_NAME, 10, "server");
  b.cpu(0, 10, "server").at(10, kWrite, 1).at(50, kWrite, 2).at(60, kWrite | kReturn, 1);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) == Lines{"user 0+640 server", "user 640+160 server",
                               "syscall 800+160 write(2)=1", "user 960+640 server"});
}

}  // namespace
}  // namespace kutrace::test
