// SPDX-License-Identifier: BSD-3-Clause
// Building them.
#include "support/culprits.h"

#include "format/event_table.h"
#include "support/event_numbers.h"

namespace kutrace::test {

namespace {

constexpr EventNum kNanosleep = 0x823;
constexpr EventNum kSendto = 0x82c;
constexpr EventNum kRecvfrom = 0x82d;
constexpr EventNum kFsync = 0x84a;
constexpr EventNum kFlock = 0x849;
constexpr EventNum kDisk = 0x530;
constexpr EventNum kNetwork = 0x531;
constexpr Pid kVictim = 10;
constexpr Pid kOther = 20;
constexpr Pid kThird = 30;

TraceBuilder named(const char* other, const char* third = "third") {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kSYSCALL_NAME, 35, "nanosleep").name(kind::kSYSCALL_NAME, 44, "sendto");
  b.name(kind::kSYSCALL_NAME, 45, "recvfrom").name(kind::kSYSCALL_NAME, 74, "fsync");
  b.name(kind::kSYSCALL_NAME, 73, "flock")
      .name(kind::kSYSCALL_NAME, 202, "futex")
      .name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kIRQ_NAME, 0x30, "virtio1-req.0").name(kind::kIRQ_NAME, 0x31, "storm0");
  b.name(kind::kTRAP_NAME, 0x0e, "page_fault");
  b.name(kind::kPID_NAME, kVictim, "victim").name(kind::kPID_NAME, kOther, other);
  b.name(kind::kPID_NAME, kThird, third);
  b.fact("cstate.1", "C6,100");
  return b;
}

// The victim waits for a futex from 1,000 on, and is woken at 80,000.
void victim_waits(TraceBuilder& b, EventNum call = kFutex) {
  b.cpu(0, kVictim, "victim").at(1000, call, 3).at(1010, ev::kUSERPID, 0);
  b.at(80'020, ev::kUSERPID, kVictim).at(80'030, call | kReturn, 0);
}

// The lock is one of a futex, or of a file.
TraceBuilder sleeping_holder_of(EventNum call) {
  TraceBuilder b = named("holder");
  victim_waits(b, call);
  b.cpu(1, kOther, "holder").at(500, kNanosleep).at(510, ev::kUSERPID, 0);
  b.at(70'000, kTimer).at(70'005, ev::kRUNNABLE, kOther).at(70'010, kTimer | kReturn);
  b.at(70'020, ev::kUSERPID, kOther).at(70'030, kNanosleep | kReturn, 0);
  b.at(79'990, call).at(80'000, ev::kRUNNABLE, kVictim).at(80'010, call | kReturn, 1);
  return b;
}

TraceBuilder sleeping_holder() { return sleeping_holder_of(kFutex); }
TraceBuilder sleeping_holder_of_file() { return sleeping_holder_of(kFlock); }

TraceBuilder cpu_hog() {
  TraceBuilder b = named("waker", "hog");
  b.cpu(0, kVictim, "victim").at(1000, kRead, 3).at(1010, ev::kUSERPID, kThird);
  b.at(80'000, ev::kUSERPID, kVictim).at(80'010, kRead | kReturn, 1);
  b.cpu(1, kOther, "waker").at(2000, kWrite, 4).at(2010, ev::kRUNNABLE, kVictim);
  b.at(2020, kWrite | kReturn, 1);
  return b;
}

TraceBuilder slow_disk() {
  TraceBuilder b = named("other");
  victim_waits(b, kFsync);
  b.cpu(1, 0).at(0, ev::kUSERPID, 0).at(79'900, kDisk).at(79'950, kDisk | kReturn);
  b.at(79'950, ev::kBottomHalf, 4).at(80'000, ev::kRUNNABLE, kVictim);
  b.at(80'010, ev::kBottomHalf | kReturn, 4);
  return b;
}

// The disk interrupts another thread's call, and its softirq begins a moment later: as recorded.
TraceBuilder disk_in_a_call() {
  TraceBuilder b = named("other");
  victim_waits(b, kFsync);
  b.cpu(1, kOther, "other").at(70'000, kRead, 5).at(79'900, kDisk).at(79'950, kDisk | kReturn);
  b.at(79'960, ev::kBottomHalf, 4).at(80'000, ev::kRUNNABLE, kVictim);
  b.at(80'010, ev::kBottomHalf | kReturn, 4).at(80'020, kRead | kReturn, 1);
  return b;
}

// The victim's call is interrupted by as many as fit into it.
TraceBuilder storm(EventNum of, Ticks each) {
  TraceBuilder b = named("other");
  b.cpu(0, kVictim, "victim").at(1000, kRead, 3);
  for (Ticks at = 1010; at < 79'000; at += 100) b.at(at, of).at(at + each, of | kReturn);
  b.at(80'000, kRead | kReturn, 1);
  return b;
}

TraceBuilder interrupt_storm() { return storm(kNetwork, 80); }

TraceBuilder fault_storm() { return storm(kFault, 70); }

// The holder of the lock is ready, and does not get its CPU.
TraceBuilder priority_inversion() {
  TraceBuilder b = named("low", "middle");
  victim_waits(b);
  b.cpu(1, kOther, "low").at(500, kRead, 5).at(510, ev::kUSERPID, kThird);
  b.at(75'000, ev::kUSERPID, kOther).at(75'010, kRead | kReturn, 1);
  b.at(79'990, kFutex).at(80'000, ev::kRUNNABLE, kVictim).at(80'010, kFutex | kReturn, 1);
  b.cpu(2, 0).at(0, ev::kUSERPID, 0).at(600, kTimer).at(610, ev::kRUNNABLE, kOther);
  b.at(620, kTimer | kReturn);
  return b;
}

// The answer arrives in the softirq of the server's own call, as it does on one machine.
TraceBuilder slow_downstream() {
  TraceBuilder b = named("server");
  b.cpu(0, kVictim, "victim").at(900, kSendto, 3).at(910, ev::kBottomHalf, 3);
  b.at(920, ev::kRUNNABLE, kOther).at(930, ev::kBottomHalf | kReturn, 3);
  b.at(940, kSendto | kReturn, 8).at(1000, kRecvfrom, 3).at(1010, ev::kUSERPID, 0);
  b.at(80'020, ev::kUSERPID, kVictim).at(80'030, kRecvfrom | kReturn, 8);
  b.cpu(1, kOther, "server").at(100, kRecvfrom, 5).at(110, ev::kUSERPID, 0);
  b.at(1500, ev::kUSERPID, kOther).at(1510, kRecvfrom | kReturn, 8);
  b.at(79'980, kSendto, 5).at(79'990, ev::kBottomHalf, 3).at(80'000, ev::kRUNNABLE, kVictim);
  b.at(80'005, ev::kBottomHalf | kReturn, 3).at(80'010, kSendto | kReturn, 8);
  return b;
}

// It arrives in a softirq that ksoftirqd runs, which somebody's interrupt woke.
TraceBuilder answer_by_ksoftirqd() {
  constexpr Pid kSoftirqThread = 15;
  TraceBuilder b = named("bystander");
  b.name(kind::kPID_NAME, kSoftirqThread, "ksoftirqd/1");
  b.task(kSoftirqThread, kSoftirqThread, KUTRACE_TASK_KERNEL_THREAD);
  b.cpu(0, kVictim, "victim").at(1000, kRecvfrom, 3).at(1010, ev::kUSERPID, 0);
  b.at(80'020, ev::kUSERPID, kVictim).at(80'030, kRecvfrom | kReturn, 8);
  b.cpu(1, kOther, "bystander").at(70'000, ev::kRUNNABLE, kSoftirqThread);
  b.at(79'900, ev::kUSERPID, kSoftirqThread).at(79'990, ev::kBottomHalf, 3);
  b.at(80'000, ev::kRUNNABLE, kVictim).at(80'010, ev::kBottomHalf | kReturn, 3);
  return b;
}

TraceBuilder deep_sleep() {
  TraceBuilder b = named("waker");
  b.cpu(0, kVictim, "victim").at(1000, kRead, 3).at(1010, ev::kUSERPID, 0);
  b.at(1020, ev::kMWAIT, 2u << 16 | 0x20).at(8400, kReschedule).at(8410, kReschedule | kReturn);
  b.at(8420, ev::kUSERPID, kVictim).at(8430, kRead | kReturn, 1);
  b.cpu(1, kOther, "waker").at(2000, kWrite, 4).at(2010, ev::kRUNNABLE, kVictim);
  b.at(2015, ev::kSEND_IPI, 0).at(2020, kWrite | kReturn, 1);
  return b;
}

TraceBuilder own_timer() {
  TraceBuilder b = named("other");
  b.cpu(0, kVictim, "victim").at(1000, kNanosleep).at(1010, ev::kUSERPID, 0);
  b.at(80'000, kTimer).at(80'005, ev::kRUNNABLE, kVictim).at(80'010, kTimer | kReturn);
  b.at(80'020, ev::kUSERPID, kVictim).at(80'030, kNanosleep | kReturn, 0);
  return b;
}

// It is ready, and what its CPU does meanwhile is not in the trace: a third thread is found there.
TraceBuilder lost_events() {
  TraceBuilder b = named("other", "third");
  b.cpu(0, kVictim, "victim").at(1000, kRead, 3);
  b.at(1010, ev::kUSERPID, kOther | KUTRACE_SWITCH_RUNNABLE).at(1020, kTimer);
  b.at(1030, kTimer | kReturn).at(79'000, ev::kUSERPID, kThird | KUTRACE_SWITCH_UNSEEN);
  b.at(80'020, ev::kUSERPID, kVictim).at(80'030, kRead | kReturn, 0);
  return b;
}

// Whoever woke it, a loss took.
TraceBuilder nobody_known() {
  TraceBuilder b = named("other");
  victim_waits(b, kRead);
  return b;
}

}  // namespace

const std::vector<Culprit>& culprits() {
  static const std::vector<Culprit> all = {
      {"a lock holder that sleeps", sleeping_holder, "futex",
       "it waited for a lock or thread, and holder.20 slept in nanosleep, until local_timer ended "
       "it"},
      {"a file lock whose holder sleeps", sleeping_holder_of_file, "flock",
       "it waited for a lock, and holder.20 slept in nanosleep, until local_timer ended it"},
      {"a CPU hog", cpu_hog, "read", "it was ready, and CPU 0 ran hog.30"},
      {"a slow disk", slow_disk, "fsync",
       "it waited for the disk in fsync, until BH:block ended it"},
      {"a slow disk that interrupts another's call", disk_in_a_call, "fsync",
       "it waited for the disk in fsync, until BH:block ended it"},
      {"an interrupt storm", interrupt_storm, "read", "it lost its CPU to interrupt storm0"},
      {"a fault storm", fault_storm, "read", "it was on a CPU in page_fault"},
      {"a priority inversion", priority_inversion, "futex",
       "it waited for a lock or thread, and low.20 was ready, and CPU 1 ran middle.30"},
      {"a slow server on this machine", slow_downstream, "recvfrom",
       "it waited for a message on a socket, and server.20 ran its own code"},
      {"an answer that ksoftirqd takes", answer_by_ksoftirqd, "recvfrom",
       "it waited for the network in recvfrom, until BH:rx ended it"},
      {"a CPU in a deep sleep", deep_sleep, "read",
       "it was ready, and CPU 0 had to leave an idle state"},
      {"a timer", own_timer, "nanosleep", "it slept in nanosleep, until local_timer ended it"},
      {"events that are missing", lost_events, "read", "not known, as events of CPU 0 are missing"},
      {"nobody that the trace tells of", nobody_known, "read",
       "it waited for something in read; who ended that is not known"},
  };
  return all;
}

}  // namespace kutrace::test
