// SPDX-License-Identifier: BSD-3-Clause
// Threads: who waits for what, who wakes whom, names and numbers that change.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <utility>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

TraceBuilder named() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kSYSCALL_NAME, 35, "nanosleep").name(kind::kSYSCALL_NAME, 202, "futex");
  b.name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  return b;
}

// ---- waits and wakeups ----------------------------------------------------------------------

// Thread 10 blocks in `call` at 20, is woken at 50 by an event of thread 20 and runs again at 80.
TraceBuilder blocked_in(EventNum call, EventNum waker) {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, call).at(20, ev::kUSERPID, 20).at(40, waker);
  b.at(50, ev::kRUNNABLE, 10).at(60, waker | kReturn).at(80, ev::kUSERPID, 10);
  b.at(90, call | kReturn);
  return b;
}

//   20      50        80
//   |wait_x |wait_cpu |runs
TEST_CASE("a thread waits for a reason until it is woken and for a CPU until it runs") {
  TraceBuilder b = blocked_in(0x823, kTimer);
  const Replay r = replayed(b, 100);
  const Lines waits = r.of_kind(SpanKind::kWait);
  REQUIRE(waits.size() >= 2);
  CHECK(waits[0] == "10: wait 320+480 wait_time");
  CHECK(waits[1] == "10: wait 800+480 wait_cpu");
}

TEST_CASE("a thread that is woken twice ran unseen in between, where only sleepers are woken") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, 0x823).at(20, ev::kUSERPID, 20).at(40, kTimer);
  b.at(50, ev::kRUNNABLE, 10).at(60, ev::kRUNNABLE, 10).at(65, kTimer | kReturn);
  b.at(80, ev::kUSERPID, 10).at(90, 0x823 | kReturn);
  const Lines waits = replayed(b, 100).of_kind(SpanKind::kWait);
  REQUIRE(waits.size() >= 2);
  CHECK(waits[0] == "10: wait 320+480 wait_time");
  CHECK(waits[1] == "10: wait 960+320 wait_cpu");
}

// Thread 10 is woken by CPU 1 at 18, and switched away at 20 as if it slept. It may be woken once
// more, at 50.
Lines waits_of_woken_early(bool is_woken_again) {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, 0x823).at(20, ev::kUSERPID, 20 | KUTRACE_SWITCH_BLOCKED);
  if (is_woken_again) b.at(50, ev::kRUNNABLE, 10);
  b.at(80, ev::kUSERPID, 10 | KUTRACE_SWITCH_BLOCKED).at(90, 0x823 | kReturn);
  b.cpu(1, 33).at(18, ev::kRUNNABLE, 10);
  const Replay r = replayed(b, 100);
  Lines found = r.of_kind(SpanKind::kWait);
  const Lines arcs = r.of_kind(SpanKind::kWakeupArc);
  found.insert(found.end(), arcs.begin(), arcs.end());
  return found;
}

TEST_CASE("a thread that is woken while it is about to sleep is ready where it is switched away") {
  const Lines found = waits_of_woken_early(false);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == "10: wait 320+960 wait_cpu");
  CHECK(found[1] == "33: wakeup 288+992 -wakeup-");
}

TEST_CASE("a thread that is woken later was not woken of that sleep before") {
  const Lines found = waits_of_woken_early(true);
  REQUIRE(found.size() == 3);
  CHECK(found[0].starts_with("10: wait 320+480 wait_"));
  CHECK(found[0] != "10: wait 320+480 wait_cpu");
  CHECK(found[1] == "10: wait 800+480 wait_cpu");
}

TEST_CASE("a wakeup before the call that a thread sleeps in was not of that sleep") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, 0x823).at(20, ev::kUSERPID, 20 | KUTRACE_SWITCH_BLOCKED);
  b.at(80, ev::kUSERPID, 10 | KUTRACE_SWITCH_BLOCKED).at(90, 0x823 | kReturn);
  b.cpu(1, 33).at(8, ev::kRUNNABLE, 10);
  const Lines waits = replayed(b, 100).of_kind(SpanKind::kWait);
  REQUIRE(waits.size() == 1);
  CHECK(waits[0] == "10: wait 320+960 wait_time");
}

// Thread 10 leaves its CPU in a call at 20, for ever; `then` is what else happens.
Lines waits_to_the_end(std::uint32_t left, const std::function<void(TraceBuilder&)>& then = {}) {
  TraceBuilder b = named();
  b.fact("events", "syscalls,irqs,sched,wakeups,processes");
  b.cpu(0, 10).at(10, 0x8ca).at(20, ev::kUSERPID, 20 | left);
  if (then) then(b);
  return replayed(b, 100).of_kind(SpanKind::kWait);
}

TEST_CASE("a thread that nobody wakes waits until the recording ends") {
  CHECK(waits_to_the_end(KUTRACE_SWITCH_BLOCKED) == Lines{"10: wait 320+1280 wait_lock"});
  CHECK(waits_to_the_end(KUTRACE_SWITCH_RUNNABLE) == Lines{"10: wait 320+1280 wait_cpu"});
  const auto woken = [](TraceBuilder& b) { b.at(50, ev::kRUNNABLE, 10); };
  CHECK(waits_to_the_end(KUTRACE_SWITCH_BLOCKED, woken).back() == "10: wait 800+800 wait_cpu");
}

TEST_CASE("what a thread does at the end is not told where events may be missing") {
  const auto lost = [](TraceBuilder& b) { b.lost(30, 40).at(50, kTimer).at(55, kTimer | kReturn); };
  CHECK(waits_to_the_end(KUTRACE_SWITCH_BLOCKED, lost).empty());
}

TEST_CASE("what wakes a thread says what it waited for") {
  const auto reason = [](EventNum call, EventNum waker) {
    TraceBuilder b = blocked_in(call, waker);
    return replayed(b, 100).of_kind(SpanKind::kWait).front();
  };
  CHECK(reason(kRead, kTimer) == "10: wait 320+480 wait_time");
  CHECK(reason(0x8ca, 0x8ca) == "10: wait 320+480 wait_lock");
  CHECK(reason(kRead, kWrite) == "10: wait 320+480 wait_pipe");
}

// A timer on CPU 1 interrupts CPU 0, long before a thread there wakes another.
TEST_CASE("a thread that wakes does so on its own account, an interrupt for who sent it") {
  const auto reason = [](bool in_interrupt) {
    TraceBuilder b = named();
    b.name(kind::kSYSCALL_NAME, 74, "fsync").name(kind::kPID_NAME, 33, "kworker/0:1");
    b.name(kind::kIRQ_NAME, 0xfd, "reschedule");
    b.cpu(1, 20).at(22, kTimer).at(24, ev::kSEND_IPI, 0).at(26, kTimer | kReturn);
    b.cpu(0, 10).at(10, 0x800 + 74).at(20, ev::kUSERPID, 33).at(30, 0x5fd);
    if (in_interrupt) b.at(35, ev::kRUNNABLE, 10);
    b.at(40, 0x5fd | kReturn);
    if (!in_interrupt) b.at(50, ev::kRUNNABLE, 10);
    b.at(80, ev::kUSERPID, 10).at(90, (0x800 + 74) | kReturn);
    return replayed(b, 100).of_kind(SpanKind::kWait).front();
  };
  CHECK(reason(true) == "10: wait 320+240 wait_time");
  CHECK(reason(false) == "10: wait 320+480 wait_disk");
}

// The same, but behind it an interrupt that the CPU sends itself wakes.
TEST_CASE("an interrupt that a CPU sends itself is not for who sent the one before") {
  TraceBuilder b = named();
  b.name(kind::kSYSCALL_NAME, 7, "poll").name(kind::kIRQ_NAME, 0xfd, "reschedule");
  b.name(kind::kIRQ_NAME, 0xf6, "irq_work").name(kind::kPID_NAME, 33, "other");
  b.cpu(1, 20).at(2, kTimer).at(4, ev::kSEND_IPI, 0).at(6, kTimer | kReturn);
  b.cpu(0, 10).at(10, 0x800 + 7).at(20, ev::kUSERPID, 33).at(24, 0x5fd).at(26, 0x5fd | kReturn);
  b.at(28, ev::kSEND_IPI, 0).at(30, 0x5f6).at(50, ev::kRUNNABLE, 10).at(55, 0x5f6 | kReturn);
  b.at(80, ev::kUSERPID, 10).at(90, (0x800 + 7) | kReturn);
  CHECK(replayed(b, 100).of_kind(SpanKind::kWait).front() == "10: wait 320+480 wait_unk");
}

// A kworker does work of every sort; the end of an fsync is one of them.
TEST_CASE("a kworker that wakes tells less than the call that waits") {
  const auto reason = [](EventNum call) {
    TraceBuilder b = named();
    b.name(kind::kSYSCALL_NAME, 74, "fsync").name(kind::kSYSCALL_NAME, 271, "ppoll");
    b.name(kind::kPID_NAME, 33, "kworker/0:1").task(33, 33, KUTRACE_TASK_KERNEL_THREAD);
    b.cpu(0, 10).at(10, call).at(20, ev::kUSERPID, 33).at(50, ev::kRUNNABLE, 10);
    b.at(80, ev::kUSERPID, 10).at(90, call | kReturn);
    return replayed(b, 100).of_kind(SpanKind::kWait).at(1);  // the kworker's own is the first
  };
  CHECK(reason(0x800 + 74) == "10: wait 320+480 wait_disk");
  CHECK(reason(0x800 + 271) == "10: wait 320+480 wait_unk");
}

// Thread 10 waits in `call` from 20 to 50, where a kworker wakes it, which was itself woken at 28,
// while thread 20 ran `by`.
std::string ended_by_worker(EventNum call, EventNum by, std::uint32_t by_arg, std::uint32_t flags) {
  TraceBuilder b = named();
  b.name(kind::kSYSCALL_NAME, 7, "poll").name(kind::kPID_NAME, 33, "kworker/0:1");
  b.task(33, 33, flags);
  b.cpu(0, 33).at(5, ev::kUSERPID, 10 | KUTRACE_SWITCH_BLOCKED).at(10, call);
  b.at(20, ev::kUSERPID, 20 | KUTRACE_SWITCH_BLOCKED).at(25, by, by_arg);
  b.at(28, ev::kRUNNABLE, 33).at(30, by | kReturn);
  b.at(40, ev::kUSERPID, 33 | KUTRACE_SWITCH_RUNNABLE).at(50, ev::kRUNNABLE, 10);
  b.at(80, ev::kUSERPID, 10 | KUTRACE_SWITCH_BLOCKED).at(90, call | kReturn);
  const Lines waits = replayed(b, 100).of_kind(SpanKind::kWait);
  const auto own = std::ranges::find_if(waits, [](auto& line) { return line.starts_with("10:"); });
  REQUIRE(own != waits.end());
  REQUIRE(own->starts_with("10: wait 320+480 "));
  return own->substr(own->rfind(' ') + 1);
}

TEST_CASE("a thread of the kernel passes on the end of a write or a packet, whatever waits") {
  constexpr std::uint32_t kBlockDone = 4;
  constexpr std::uint32_t kReceived = 3;
  // The second is a trace that does not tell of whom the threads are.
  for (const std::uint32_t flags : {KUTRACE_TASK_KERNEL_THREAD, 0U}) {
    for (const EventNum call : {kRead, kWrite, EventNum{0x807}}) {
      CHECK(ended_by_worker(call, ev::kBottomHalf, kBlockDone, flags) == "wait_disk");
      CHECK(ended_by_worker(call, ev::kBottomHalf, kReceived, flags) == "wait_net");
    }
  }
}

TEST_CASE("a wait that a thread of the kernel ended is for a pipe only if another thread wrote") {
  constexpr std::uint32_t kFlags = KUTRACE_TASK_KERNEL_THREAD;
  CHECK(ended_by_worker(kRead, kTimer, 0, kFlags) == "wait_unk");
  CHECK(ended_by_worker(kWrite, kTimer, 0, kFlags) == "wait_unk");
  CHECK(ended_by_worker(kRead, kWrite, 0, kFlags) == "wait_pipe");  // a terminal
  CHECK(ended_by_worker(0x807, kWrite, 0, kFlags) == "wait_unk");
}

// It writes to a file that has work done on another CPU.
TEST_CASE("who waits for work that it handed a thread of the kernel waits for no pipe") {
  TraceBuilder b = named();
  b.name(kind::kPID_NAME, 33, "kworker/0:1").task(33, 33, KUTRACE_TASK_KERNEL_THREAD);
  b.cpu(0, 33).at(5, ev::kUSERPID, 10 | KUTRACE_SWITCH_BLOCKED).at(10, kWrite);
  b.at(15, ev::kRUNNABLE, 33).at(20, ev::kUSERPID, 33 | KUTRACE_SWITCH_BLOCKED);
  b.at(50, ev::kRUNNABLE, 10).at(80, ev::kUSERPID, 10 | KUTRACE_SWITCH_BLOCKED);
  const Lines waits = replayed(b, 100).of_kind(SpanKind::kWait);
  CHECK(std::ranges::count(waits, "10: wait 320+480 wait_unk") == 1);
}

// rcu_preempt tells who waits that all readers are through.
TEST_CASE("what a thread of RCU ends is a wait for RCU") {
  TraceBuilder b = named();
  b.name(kind::kPID_NAME, 33, "rcu_preempt").task(33, 33, KUTRACE_TASK_KERNEL_THREAD);
  b.cpu(0, 10).at(10, kWrite).at(20, ev::kUSERPID, 33).at(50, ev::kRUNNABLE, 10);
  b.at(80, ev::kUSERPID, 10).at(90, kWrite | kReturn);
  CHECK(replayed(b, 100).of_kind(SpanKind::kWait).at(1) == "10: wait 320+480 wait_rcu");
}

// As in posix_spawn: the child, thread 20, has started its program.
TEST_CASE("who waits in clone waits for its child") {
  for (const char* call : {"clone", "clone3", "vfork"}) {
    TraceBuilder b = named();
    b.name(kind::kSYSCALL_NAME, 56, call).name(kind::kSYSCALL_NAME, 59, "execve");
    b.cpu(0, 10).at(10, kClone).at(20, ev::kUSERPID, 20).at(40, 0x800 + 59);
    b.at(50, ev::kRUNNABLE, 10).at(80, ev::kUSERPID, 10);
    CHECK(replayed(b, 100).of_kind(SpanKind::kWait).front() == "10: wait 320+480 wait_task");
  }
}

TEST_CASE("who closes a pipe tells less than the call that waits") {
  const auto reason = [](std::uint32_t call) {
    TraceBuilder b = named();
    b.name(kind::kSYSCALL_NAME, 73, "flock").name(kind::kSYSCALL_NAME, 7, "poll");
    b.name(kind::kSYSCALL_NAME, 3, "close").name(kind::kPID_NAME, 33, "other");
    b.cpu(0, 10).at(10, 0x800 + call).at(20, ev::kUSERPID, 33).at(40, 0x803);
    b.at(50, ev::kRUNNABLE, 10).at(60, 0x803 | kReturn).at(80, ev::kUSERPID, 10);
    b.at(90, (0x800 + call) | kReturn);
    return replayed(b, 100).of_kind(SpanKind::kWait).front();
  };
  CHECK(reason(7) == "10: wait 320+480 wait_pipe");
  CHECK(reason(73) == "10: wait 320+480 wait_lock");
}

// Who hands it work is in fdatasync; the worker waits for no disk.
TEST_CASE("a thread of the kernel that is woken in a call waited for work") {
  const auto reason = [](std::uint32_t flags) {
    TraceBuilder b = named();
    b.name(kind::kSYSCALL_NAME, 75, "fdatasync");
    b.name(kind::kPID_NAME, 33, "kworker/0:1").task(33, 33, flags);
    b.cpu(0, 33).at(20, ev::kUSERPID, 10).at(30, 0x800 + 75).at(50, ev::kRUNNABLE, 33);
    b.at(80, ev::kUSERPID, 33);
    return replayed(b, 100).of_kind(SpanKind::kWait).front();
  };
  CHECK(reason(KUTRACE_TASK_KERNEL_THREAD) == "33: wait 320+480 wait_task");
  CHECK(reason(0) == "33: wait 320+480 wait_disk");
}

TEST_CASE("a softirq that wakes tells by its kind") {
  const std::pair<unsigned, const char*> reasons[] = {{1, "wait_time"}, {3, "wait_net"},
                                                      {4, "wait_disk"}, {6, "wait_task"},
                                                      {7, "wait_sche"}, {9, "wait_rcu"}};
  for (const auto& [softirq, name] : reasons) {
    TraceBuilder b = named();
    b.cpu(0, 10).at(10, 0x8ff).at(20, ev::kUSERPID, 20).at(40, ev::kBottomHalf, softirq);
    b.at(50, ev::kRUNNABLE, 10).at(60, ev::kBottomHalf | kReturn).at(80, ev::kUSERPID, 10);
    CHECK(replayed(b, 100).of_kind(SpanKind::kWait).front() ==
          std::string("10: wait 320+480 ") + name);
  }
}

TEST_CASE("a wakeup is an arc from the waker's CPU to where the thread runs") {
  TraceBuilder b = named();
  b.cpu(0, 20).at(50, kWrite).at(55, ev::kRUNNABLE, 10).at(60, kWrite | kReturn, 1);
  b.cpu(3, 10).at(5, kRead).at(10, ev::kUSERPID, 0).at(90, ev::kUSERPID, 10);
  const Replay r = replayed(b, 100);
  const auto arc = std::find_if(r.spans.begin(), r.spans.end(),
                                [](const Span& s) { return s.kind == SpanKind::kWakeupArc; });
  REQUIRE(arc != r.spans.end());
  CHECK(arc->start == 55 * 16);
  CHECK(arc->duration == 35 * 16);
  CHECK(arc->cpu == 0);
  CHECK(arc->pid == 20);
  CHECK(arc->other == 10);
  CHECK(arc->arg == 3);
}

TEST_CASE("waking a thread that runs is a point and no wait") {
  TraceBuilder b = named();
  b.cpu(0, 20).at(50, kWrite).at(55, ev::kRUNNABLE, 10).at(60, kWrite | kReturn, 1);
  b.cpu(1, 10).at(5, kRead).at(90, kRead | kReturn);
  const Replay r = replayed(b, 100);
  CHECK(r.of_kind(SpanKind::kWait).empty());
  CHECK(r.of_kind(SpanKind::kWakeupArc).empty());
  CHECK(r.of_kind(SpanKind::kPoint).size() == 1);
}

//   10      30 timer      60 found: 20 runs
//   |10 user|timer|lost   |20 user
TEST_CASE("a thread found running where another was recorded shows the time between as lost") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kRead).at(20, kRead | kReturn).at(30, kTimer).at(40, kTimer | kReturn);
  b.at(60, ev::kUSERPID, 20 | KUTRACE_SWITCH_UNSEEN).at(80, ev::kUSERPID, 10);
  const Replay r = replayed(b, 100);
  CHECK(r.info.counters.named(Severity::kRepair).at("unseen_switch") == 1);
  REQUIRE(r.info.losses.size() == 1);
  CHECK(r.info.losses[0].reason == KUTRACE_LOSS_UNSEEN);
  CHECK(r.info.losses[0].begin == 640);
  CHECK(r.info.losses[0].end == 960);
}

TEST_CASE("waits longer than 8 seconds are kept") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, 0x823).at(20, ev::kUSERPID, 0);
  for (Ticks at = 1; at <= 2; ++at)
    b.at(at * 1'000'000'000, kTimer).at(at * 1'000'000'000 + 5, kTimer | kReturn);
  b.at(2'100'000'000, kTimer)
      .at(2'100'000'001, ev::kRUNNABLE, 10)
      .at(2'100'000'002, kTimer | kReturn);
  b.at(2'100'000'010, ev::kUSERPID, 10);
  CHECK(replayed(b, 2'100'000'020).of_kind(SpanKind::kWait).front() ==
        "10: wait 320+33599999696 wait_time");
}

// ---- what is known from the start -----------------------------------------------------------

TEST_CASE("a thread that a fact says is in a call returns from it") {
  TraceBuilder b = named();
  b.task(10, 10, 0, 0).cpu(0, 20).at(10, ev::kUSERPID, 10).at(30, kRead | kReturn, 5);
  const Replay r = replayed(b, 50);
  CHECK(r.timeline(0) ==
        Lines{"user 0+160 client", "syscall 160+320 read=5", "user 480+320 server"});
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

TEST_CASE("a kernel thread is never shown as a user process") {
  TraceBuilder b = named();
  b.name(kind::kPID_NAME, 33, "kworker/0:1").task(33, 33, KUTRACE_TASK_KERNEL_THREAD);
  b.cpu(0, 10).at(10, ev::kUSERPID, 33).at(20, ev::kUSERPID, 10);
  const Replay r = replayed(b, 30);
  CHECK(r.timeline(0) ==
        Lines{"user 0+160 server", "kthread 160+160 kworker/0:1", "user 320+160 server"});
  CHECK(r.info.threads.at(33).kernel_thread);
}

TEST_CASE("a child begins inside the call that made it, and the pid's former thread is forgotten") {
  TraceBuilder b = named();
  b.name(kind::kSYSCALL_NAME, 56, "clone").task(20, 20, 0, 0);
  b.cpu(0, 10).at(10, kClone, 7);
  b.words_at(15, kind::kTASK, 20, {0, std::uint64_t{10} << 32 | 20}).at(16, ev::kRUNNABLE, 20);
  b.at(20, kClone | kReturn, 20).at(30, ev::kUSERPID, 20).at(40, kClone | kReturn, 0);
  const Replay r = replayed(b, 50);
  CHECK(r.timeline(0) == Lines{"user 0+160 server", "syscall 160+160 clone(7)=20",
                               "user 320+160 server", "syscall 480+160 clone(7)=0",
                               "user 640+160 client"});
  CHECK(r.info.threads.at(20).parent == 10);
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

// The front says it at the end of the recording, when the number is known.
TEST_CASE("the recorded command begins where it is made, and is one thread") {
  TraceBuilder b = named();
  b.name(kind::kSYSCALL_NAME, 56, "clone").task(20, 20, KUTRACE_TASK_COMMAND);
  b.cpu(0, 10).at(10, kClone, 7);
  b.words_at(15, kind::kTASK, 20, {0, std::uint64_t{10} << 32 | 20}).at(16, ev::kRUNNABLE, 20);
  b.at(20, kClone | kReturn, 20).at(30, ev::kUSERPID, 20).at(40, kClone | kReturn, 0);
  const Replay r = replayed(b, 50);
  CHECK(r.info.threads.at(20).command);
  REQUIRE(std::ranges::count(r.lives, 20, &ThreadLife::pid) == 1);
  CHECK(std::ranges::find(r.lives, 20, &ThreadLife::pid)->begin == 240);
}

// ---- names and numbers ----------------------------------------------------------------------

TEST_CASE("a thread may take a name without letters") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kRead).words_at(15, kind::kPID_NAME, 10, {0, 0}).at(20, kRead | kReturn, 0);
  const Replay r = replayed(b, 30);
  CHECK(r.of_kind(SpanKind::kRename) == Lines{R"(10: rename 240+0 "")"});
}

TEST_CASE("a thread that renames itself has its new name from then on") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kRead).words_at(15, kind::kPID_NAME, 10, text_words("renamed"));
  b.at(20, kRead | kReturn, 0);
  const Replay r = replayed(b, 30);
  CHECK(r.timeline(0) ==
        Lines{"user 0+160 server", "syscall 160+160 read=0", "user 320+160 renamed"});
  CHECK(r.of_kind(SpanKind::kRename) == Lines{"10: rename 240+0 renamed"});
}

TEST_CASE("thread ids above 16 bits and CPU numbers above 255 are what they are") {
  TraceBuilder b = named();
  b.name(kind::kPID_NAME, 4'000'000, "big").name(kind::kPID_NAME, 4'000'000 & 0xffff, "small");
  b.cpu(1000, 10).at(10, ev::kUSERPID, 4'000'000).at(20, ev::kRUNNABLE, 4'000'001);
  const Replay r = replayed(b, 30);
  CHECK(r.timeline(1000) == Lines{"user 0+160 server", "user 160+320 big"});
  CHECK(r.spans.back().pid == 4'000'000);
  CHECK(r.info.cpus == std::vector<CpuId>{1000});
}

TEST_CASE("the idle threads of other systems are the idle thread") {
  TraceBuilder b(TraceBuilder::Style::kUpstream);
  b.name(kind::kPID_NAME, 100'003, "idle: cpu0").name(kind::kPID_NAME, 10, "server");
  b.cpu(0, 10).at(25, ev::kUSERPID, 100'003).at(50, ev::kUSERPID, 10);
  CHECK(replayed(b, 125).timeline(0) ==
        Lines{"user 0+400 server", "idle 400+400 -idle-", "user 800+1200 server"});
}

TEST_CASE("a child that has the pid of a thread that ended is new, and named like its parent") {
  TraceBuilder b(TraceBuilder::Style::kUpstream);
  b.name(kind::kSYSCALL_NAME, 56, "clone").name(kind::kSYSCALL_NAME, 60, "exit");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  b.cpu(0, 10).at(25, ev::kUSERPID, 20).at(50, 0x83c).at(75, ev::kUSERPID, 10);
  b.at(100, kClone).at(125, kClone | kReturn, 20).at(150, ev::kUSERPID, 20).at(200, kTimer);
  const Replay r = replayed(b, 250);
  CHECK(r.timeline(0) == Lines{"user 0+400 server", "user 400+400 client", "syscall 800+400 exit",
                               "user 1200+400 server", "syscall 1600+400 clone=20",
                               "user 2000+400 server", "user 2400+800 server",
                               "irq 3200+800 local_timer"});
  CHECK(r.info.counters.named(Severity::kRepair).at("fork_is_wakeup") == 1);
  CHECK(r.of_kind(SpanKind::kRename) == Lines{"20: rename 2000+0 server"});
}

TEST_CASE("a thread that was seen to end lives until it is switched away") {
  const auto ends = [](std::uint64_t told) {
    TraceBuilder b = named();
    b.cpu(0, 20).words_at(20, kind::kPOINT, ev::kEXIT, {told, told, 9});
    b.at(25, kTimer).at(30, kTimer | kReturn).at(40, ev::kUSERPID, 10);
    const Replay r = replayed(b, 250);
    return std::ranges::find(r.lives, Pid{20}, &ThreadLife::pid)->end;
  };
  CHECK(ends(20) == 640);
  CHECK(ends(30) == 4000);  // another one
}

TEST_CASE("every way to make a thread wakes it, and what is no success does not") {
  const auto arcs = [](const char* call, std::uint32_t result) {
    TraceBuilder b(TraceBuilder::Style::kUpstream);
    b.name(kind::kSYSCALL_NAME, 56, call)
        .cpu(0, 10)
        .at(25, kClone)
        .at(50, kClone | kReturn, result);
    b.at(75, ev::kUSERPID, 20);
    return replayed(b, 125).of_kind(SpanKind::kWakeupArc).size();
  };
  for (const char* call : {"clone", "clone3", "fork", "vfork"}) CHECK(arcs(call, 20) == 1);
  CHECK(arcs("clone3", 0) == 0);
  CHECK(arcs("clone3", 0xfff5) == 0);
  CHECK(arcs("read", 20) == 0);
}

TEST_CASE("a thread id that entries cut to 16 bits is the one that its block's header has whole") {
  TraceBuilder b(TraceBuilder::Style::kUpstream);
  b.name(kind::kPID_NAME, 70'000 & 0xffff, "wide").name(kind::kPID_NAME, 10, "server");
  b.cpu(0, 10).at(25, ev::kUSERPID, 70'000 & 0xffff).at(50, kRead);
  b.new_block(75, 70'000, "wide").at(100, kRead | kReturn, 0).at(125, ev::kUSERPID, 10);
  const Replay r = replayed(b, 250);
  CHECK(r.timeline(0) == Lines{"user 0+400 server", "user 400+400 wide", "syscall 800+800 sys#0=0",
                               "user 1600+400 wide", "user 2000+2000 server"});
  CHECK(r.info.threads.contains(70'000));
  CHECK_FALSE(r.info.threads.contains(70'000 & 0xffff));
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

TEST_CASE("FreeBSD's block headers name the threads that its entries name less 100000") {
  TraceBuilder b(TraceBuilder::Style::kUpstream);
  b.name(kind::kKERNEL_VERSION, 0, "FreeBSD 14.0").name(kind::kPID_NAME, 200, "sh");
  b.cpu(0, 100'003, "idle: cpu0").at(25, ev::kUSERPID, 200).at(50, ev::kUSERPID, 3);
  b.new_block(75, 100'003, "idle: cpu0").at(100, ev::kUSERPID, 200);
  b.new_block(125, 100'200, "sh").at(150, kRead);
  const Replay r = replayed(b, 250);
  CHECK(r.timeline(0) == Lines{"idle 0+400 -idle-", "user 400+400 sh", "idle 800+800 -idle-",
                               "user 1600+800 sh", "syscall 2400+1600 sys#0"});
  CHECK(r.info.counters.named(Severity::kRepair).empty());
  CHECK(r.info.losses.empty());
}

// ---- a filtered recording ---------------------------------------------------------------------

TraceBuilder filtered() {
  TraceBuilder b = named();
  b.fact("recorded_threads", "processes 10");
  return b;
}

constexpr std::uint32_t kLeftOut = KUTRACE_SWITCH_HIDDEN | KUTRACE_SWITCH_BLOCKED;

//   0        10     30      40       60
//   |hidden  |timer |hidden |user 10 |hidden
TEST_CASE("a thread that the recording leaves out is hidden, what interrupts it is not") {
  TraceBuilder b = filtered();
  b.cpu(0, 20).at(0, ev::kUSERPID, 20 | KUTRACE_SWITCH_HIDDEN).at(10, kTimer);
  b.at(30, kTimer | kReturn).at(40, ev::kUSERPID, 10 | KUTRACE_SWITCH_BLOCKED);
  b.at(60, ev::kUSERPID, 20 | kLeftOut);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) == Lines{"hidden 0+160 -hidden-", "irq 160+320 local_timer=0",
                               "hidden 480+160 -hidden-", "user 640+320 server",
                               "hidden 960+640 -hidden-"});
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

TEST_CASE("a block that says again who runs is no switch") {
  TraceBuilder b = filtered();
  b.cpu(0, 10).at(0, ev::kUSERPID, 20 | kLeftOut);
  b.new_block(50, 20).at(50, ev::kUSERPID, 20 | KUTRACE_SWITCH_HIDDEN);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) == Lines{"hidden 0+1600 -hidden-"});
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

TEST_CASE("a thread that becomes visible in a call is not in the call it was in before") {
  TraceBuilder b = filtered();
  b.cpu(0, 10).at(10, kRead).at(20, ev::kUSERPID, 20 | KUTRACE_SWITCH_BLOCKED);
  b.at(30, ev::kUSERPID, 10 | kLeftOut).at(40, ev::kUSERPID, 20 | KUTRACE_SWITCH_BLOCKED);
  b.at(50, ev::kUSERPID, 10 | KUTRACE_SWITCH_BLOCKED);
  const Replay r = replayed(b, 60);
  CHECK(r.timeline(0).back() == "user 800+160 server");
}

TEST_CASE("a thread that passes the filter from some moment on was hidden before it") {
  TraceBuilder b = filtered();
  b.cpu(0, 20).at(0, ev::kUSERPID, 10 | kLeftOut).at(40, ev::kUSERPID, 10);
  b.at(42, kRead | kReturn).at(60, ev::kUSERPID, 10 | KUTRACE_SWITCH_HIDDEN);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) == Lines{"hidden 0+640 -hidden-", "syscall 640+32 read=0",
                               "user 672+288 server", "hidden 960+640 -hidden-"});
}

TEST_CASE("what is told first of a thread that was found running holds from the begin") {
  TraceBuilder b = filtered();
  b.cpu(0, 20).at(10, ev::kUSERPID, 20 | KUTRACE_SWITCH_HIDDEN).at(40, ev::kUSERPID, 20);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) == Lines{"hidden 0+640 -hidden-", "user 640+960 client"});
}

TEST_CASE("names of any bytes and lengths are shown safely") {
  const std::pair<std::string, std::string> names[] = {
      {"\"q\\", "\"q\\"},
      {"</script>", "</script>"},
      {"\xff!", "\\377!"},
      {"a\nb", "a\\12b"},
      {std::string(56, 'x'), std::string(56, 'x')}};
  for (const auto& [given, shown] : names) {
    TraceBuilder b;
    b.name(kind::kPID_NAME, 7, given).name(kind::kSYSCALL_NAME, 0, given).cpu(0, 7);
    b.folded(10, kRead, 0, 5, 0);
    const Replay r = replayed(b, 20);
    CHECK(r.timeline(0)[0] == "user 0+160 " + shown);
    CHECK(r.timeline(0)[1] == "syscall 160+80 " + shown + "=0");
  }
}

}  // namespace
}  // namespace kutrace::test
