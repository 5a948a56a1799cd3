// SPDX-License-Identifier: BSD-3-Clause
// Building them.
#include "support/odd_traces.h"

#include <vector>

#include "format/counter_records.h"
#include "format/event_table.h"
#include "format/process_text.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"

namespace kutrace::test {

namespace {

constexpr EventNum kYield = 0x818;
constexpr EventNum kNanosleep = 0x823;
constexpr EventNum kGetpid = 0x827;
constexpr EventNum kFsync = 0x84a;
constexpr EventNum kEpollWait = 0x8e8;
constexpr EventNum kDisk = 0x530;
constexpr EventNum kNetwork = 0x531;
constexpr Pid kVictim = 10;
constexpr Pid kOther = 20;
constexpr Pid kThird = 30;
constexpr std::uint32_t kLock = 0x40;

constexpr Ticks ms(double time) { return static_cast<Ticks>(time * 62'500); }

TraceBuilder named(const char* other = "other", const char* third = "third",
                   TraceBuilder::Style style = TraceBuilder::Style::kOwn) {
  TraceBuilder b(style);
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kSYSCALL_NAME, 24, "sched_yield").name(kind::kSYSCALL_NAME, 35, "nanosleep");
  b.name(kind::kSYSCALL_NAME, 232, "epoll_wait").name(kind::kSYSCALL_NAME, 74, "fsync");
  b.name(kind::kSYSCALL_NAME, 202, "futex").name(kind::kSYSCALL_NAME, 39, "getpid");
  b.name(kind::kIRQ_NAME, 0xec, "local_timer").name(kind::kIRQ_NAME, 0x30, "virtio1-req.0");
  b.name(kind::kIRQ_NAME, 0x31, "storm0").name(kind::kTRAP_NAME, 0x0e, "page_fault");
  b.name(kind::kPID_NAME, kVictim, "victim").name(kind::kPID_NAME, kOther, other);
  b.name(kind::kPID_NAME, kThird, third).fact("cstate.1", "C6,100");
  return b;
}

// The victim is woken at 20 ms, and runs so much later.
TraceBuilder starved(double waits, double lost_until = 0) {
  TraceBuilder b = named("waker", "hog");
  b.cpu(0, kVictim, "victim").at(ms(1), kRead, 3).at(ms(2), ev::kUSERPID, kThird);
  for (double at = 20.5; at < 20 + waits; at += 2)
    b.at(ms(at), kTimer, 0).at(ms(at + 0.25), kTimer | kReturn, 0);
  b.at(ms(20 + waits), ev::kUSERPID, kVictim).at(ms(21 + waits), kRead | kReturn, 1);
  b.cpu(1, kOther, "waker").at(ms(19), kWrite, 4).at(ms(20), ev::kRUNNABLE, kVictim);
  b.at(ms(21), kWrite | kReturn, 1);
  // What ran elsewhere meanwhile is not known.
  if (lost_until > 0) {
    b.lose_block().new_block(ms(lost_until), kOther, "waker");
    b.at(ms(lost_until + 1), ev::kUSERPID, 0);
  }
  return b;
}

// The same, but it does not run before the recording ends, at 800 ms.
TraceBuilder starved_to_the_end(double woken) {
  TraceBuilder b = named("waker", "hog");
  b.fact("events", "syscalls,irqs,sched,wakeups,processes");
  b.cpu(0, kVictim, "victim").at(ms(1), kRead, 3).at(ms(2), ev::kUSERPID, kThird);
  b.cpu(1, kOther, "waker").at(ms(19), kWrite, 4).at(ms(woken), ev::kRUNNABLE, kVictim);
  b.at(ms(woken + 1), kWrite | kReturn, 1);
  return b;
}

// The other does not run, and nobody says whether it was preempted or waited for something.
TraceBuilder not_told() {
  TraceBuilder b = named("other", "third", TraceBuilder::Style::kUpstream);
  b.cpu(0, kOther, "other").at(ms(1), ev::kUSERPID, kThird).at(ms(600), ev::kUSERPID, kOther);
  b.cpu(1, kVictim, "victim").at(ms(2), kWrite, 4).at(ms(3), ev::kRUNNABLE, kThird);
  b.at(ms(4), kWrite | kReturn, 1);
  return b;
}

// The victim waits for a lock until 200 ms, and perhaps releases it later.
void victim_waits(TraceBuilder& b, bool releases, double from = 1) {
  b.cpu(0, kVictim, "victim").at(ms(from), kFutex, kLock).at(ms(from + 0.1), ev::kUSERPID, 0);
  b.at(ms(200.1), ev::kUSERPID, kVictim).at(ms(200.2), kFutex | kReturn, 0);
  if (releases) b.folded(ms(201), kFutex, kLock, 20, 0);
}

void releases_to_victim(TraceBuilder& b) {
  b.at(ms(199.9), kFutex, kLock).at(ms(200), ev::kRUNNABLE, kVictim);
  b.at(ms(200.1), kFutex | kReturn, 1);
}

// Who waits for work and never gives any waits for no lock; who hands out what happened elsewhere,
// or waits for another's lock, is no holder that slept.
TraceBuilder sleeping_holder(bool is_lock, EventNum sleeps_in, EventNum ended_by = kTimer) {
  TraceBuilder b = named("holder");
  victim_waits(b, is_lock);
  b.cpu(1, kOther, "holder").at(ms(0.5), sleeps_in, 7).at(ms(0.6), ev::kUSERPID, 0);
  b.at(ms(150), ended_by, 3).at(ms(150.1), ev::kRUNNABLE, kOther);
  b.at(ms(150.2), ended_by | kReturn, 3);
  b.at(ms(150.3), ev::kUSERPID, kOther).at(ms(150.4), sleeps_in | kReturn, 0);
  releases_to_victim(b);
  return b;
}

// Three times the victim waits for a lock, each time for another thread of one name and process,
// which sleeps for 20 ms.
TraceBuilder sleeping_holders() {
  constexpr int kHolders = 3;
  constexpr Pid kFirst = kOther + 100;
  TraceBuilder b = named("other");
  for (Pid holder = kFirst; holder < kFirst + kHolders; ++holder)
    b.name(kind::kPID_NAME, static_cast<std::uint32_t>(holder), "holder").task(holder, kFirst, 0);
  for (int turn = 0; turn < kHolders; ++turn) {
    const double at = 1 + 100 * turn;
    const auto holder = static_cast<std::uint32_t>(kFirst + turn);
    b.cpu(1, kOther, "other").at(ms(at), ev::kUSERPID, holder);
    b.at(ms(at + 0.1), kNanosleep, 7).at(ms(at + 0.6), ev::kUSERPID, 0);
    b.at(ms(at + 21), kTimer, 3).at(ms(at + 21.1), ev::kRUNNABLE, holder);
    b.at(ms(at + 21.2), kTimer | kReturn, 3).at(ms(at + 21.3), ev::kUSERPID, holder);
    b.at(ms(at + 21.4), kNanosleep | kReturn, 0).at(ms(at + 21.9), kFutex, kLock);
    b.at(ms(at + 22), ev::kRUNNABLE, kVictim).at(ms(at + 22.1), kFutex | kReturn, 1);
    b.at(ms(at + 23), ev::kUSERPID, 0);
    b.cpu(0, kVictim, "victim").at(ms(at + 0.3), kFutex, kLock);
    b.at(ms(at + 0.4), ev::kUSERPID, 0).at(ms(at + 22.1), ev::kUSERPID, kVictim);
    b.at(ms(at + 22.2), kFutex | kReturn, 0).folded(ms(at + 23), kFutex, kLock, 20, 0);
  }
  return b;
}

// The victim takes work that the other gives every 60 ms, and every second time gives some itself,
// all through one address. It reads meanwhile, and has released nothing when it waits again.
TraceBuilder work_in_turns() {
  constexpr int kTurns = 12;
  TraceBuilder b = named("giver");
  b.cpu(0, kVictim, "victim");
  for (int turn = 0; turn < kTurns; ++turn) {
    const double at = 1 + 60 * turn;
    b.at(ms(at), kFutex, kLock).at(ms(at + 0.1), ev::kUSERPID, 0);
    b.at(ms(at + 50.1), ev::kUSERPID, kVictim).at(ms(at + 50.2), kFutex | kReturn, 0);
    b.folded(ms(at + 51), kRead, 3, 20, 1);
    if (turn % 2 == 1) b.folded(ms(at + 52), kFutex, kLock, 20, 0);
  }
  b.cpu(1, kOther, "giver");
  for (int turn = 0; turn < kTurns; ++turn) {
    const double at = 1 + 60 * turn;
    b.at(ms(at + 0.5), kNanosleep, 7).at(ms(at + 0.6), ev::kUSERPID, 0);
    b.at(ms(at + 49), kTimer, 3).at(ms(at + 49.1), ev::kRUNNABLE, kOther);
    b.at(ms(at + 49.2), kTimer | kReturn, 3);
    b.at(ms(at + 49.3), ev::kUSERPID, kOther).at(ms(at + 49.4), kNanosleep | kReturn, 0);
    b.at(ms(at + 49.9), kFutex, kLock).at(ms(at + 50), ev::kRUNNABLE, kVictim);
    b.at(ms(at + 50.1), kFutex | kReturn, 1);
  }
  return b;
}

TraceBuilder inversion(double ready, double waits_from = 1) {
  TraceBuilder b = named("low", "middle");
  victim_waits(b, true, waits_from);
  const double begin = 190 - ready;
  b.cpu(1, kOther, "low").at(ms(begin), ev::kUSERPID, kThird);
  b.at(ms(190), ev::kUSERPID, kOther);
  releases_to_victim(b);
  b.cpu(2, 0).at(0, ev::kUSERPID, 0).at(ms(begin) + 10, kTimer);
  b.at(ms(begin) + 20, ev::kRUNNABLE, kOther).at(ms(begin) + 30, kTimer | kReturn);
  return b;
}

// Three threads, each on a CPU of its own, have a lock in turn, each for that long; between 200 and
// 500 ms for as long as `meanwhile`.
TraceBuilder convoy(double holds, double meanwhile) {
  constexpr std::uint32_t kThreads[] = {kVictim, kOther, kThird};
  TraceBuilder b = named();
  std::vector<double> turns = {1};
  while (turns.back() < 750)
    turns.push_back(turns.back() + (200 < turns.back() && turns.back() < 500 ? meanwhile : holds));
  for (CpuId cpu = 0; cpu < 3; ++cpu) {
    const std::uint32_t self = kThreads[cpu];
    const std::uint32_t next = kThreads[(cpu + 1) % 3];
    b.cpu(cpu, static_cast<Pid>(self));
    b.at(ms(0.1 * cpu + 0.1), kFutex, kLock).at(ms(0.1 * cpu + 0.15), ev::kUSERPID, 0);
    for (std::size_t turn = cpu; turn + 1 < turns.size(); turn += 3) {
      const double got = turns[turn];
      b.at(ms(got + 0.1), ev::kUSERPID, self).at(ms(got + 0.15), kFutex | kReturn, 0);
      const double gives = turns[turn + 1];
      b.at(ms(gives - 0.1), kFutex, kLock).at(ms(gives), ev::kRUNNABLE, next);
      b.at(ms(gives + 0.02), kFutex | kReturn, 1);
      b.at(ms(gives + 0.04), kFutex, kLock).at(ms(gives + 0.06), ev::kUSERPID, 0);
    }
  }
  // Somebody had it before them.
  b.cpu(3, 40, "first").at(ms(0.9), kFutex, kLock).at(ms(1), ev::kRUNNABLE, kVictim);
  b.at(ms(1.01), kFutex | kReturn, 1);
  return b;
}

// Three threads, each on a CPU of its own, wait for each other every 10 ms; the last of them, each
// in turn, wakes the two others.
TraceBuilder barrier() {
  constexpr std::uint32_t kThreads[] = {kVictim, kOther, kThird};
  constexpr int kRounds = 77;
  TraceBuilder b = named();
  for (std::uint32_t cpu = 0; cpu < 3; ++cpu) {
    b.cpu(cpu, static_cast<Pid>(kThreads[cpu]));
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      const double at = 1 + 10 * round;
      const bool last = round % 3 == cpu;
      const bool waited = round > 0 && (round - 1) % 3 != cpu;
      const double runs = at + (last ? 2 : 0.1);
      if (waited && last) b.at(ms(at - 0.5), ev::kUSERPID, 40 + cpu);  // has its CPU meanwhile
      if (waited) b.at(ms(runs), ev::kUSERPID, kThreads[cpu]).at(ms(runs + 0.05), kFutex | kReturn);
      if (!last) {
        b.at(ms(at + 0.5), kFutex, kLock).at(ms(at + 0.55), ev::kUSERPID, 0);
        continue;
      }
      b.at(ms(at + 9.9), kFutex, kLock).at(ms(at + 9.94), ev::kRUNNABLE, kThreads[(cpu + 1) % 3]);
      b.at(ms(at + 9.96), ev::kRUNNABLE, kThreads[(cpu + 2) % 3]);
      b.at(ms(at + 9.98), kFutex | kReturn, 2);
    }
  }
  return b;
}

TraceBuilder interrupts(double each) {
  TraceBuilder b = named();
  b.cpu(0, kVictim, "victim");
  for (double at = 1; at < 300; at += 10) {
    b.at(ms(at), kNetwork).at(ms(at + each), kNetwork | kReturn);
  }
  return b;
}

// Short ones, but many.
TraceBuilder many_interrupts(EventNum of) {
  constexpr int kOfBlock = 3000;
  TraceBuilder b = named();
  b.cpu(0, kVictim, "victim");
  for (int i = 0; i < 9 * kOfBlock; ++i) {
    const Ticks at = ms(1) + static_cast<Ticks>(i) * 500;  // 8 us
    if (i % kOfBlock == 0 && i != 0) b.new_block(at, kVictim, "victim");
    b.at(at, of, 3).at(at + 60, of | kReturn, 3);
  }
  return b;
}

TraceBuilder faults(double each) {
  TraceBuilder b = named();
  b.cpu(0, kVictim, "victim");
  for (double at = 1; at < 700; at += 1) b.at(ms(at), kFault).at(ms(at + each), kFault | kReturn);
  return b;
}

// A read of the victim, and a flush of another thread, until the disk is done.
TraceBuilder flush(double stalls, bool by_kernel = false) {
  TraceBuilder b = named("flusher");
  b.task(kVictim, kVictim, by_kernel ? KUTRACE_TASK_KERNEL_THREAD : 0);
  b.cpu(0, kVictim, "victim").at(ms(20), kRead, 3).at(ms(20.1), ev::kUSERPID, 0);
  b.at(ms(20.2 + stalls), ev::kUSERPID, kVictim).at(ms(20.3 + stalls), kRead | kReturn, 1);
  b.cpu(1, kOther, "flusher").at(ms(10), kFsync, 4).at(ms(10.1), ev::kUSERPID, 0);
  const auto done = [&b](double at, std::uint32_t pid) {
    b.at(ms(at - 0.3), kDisk).at(ms(at - 0.2), kDisk | kReturn);
    b.at(ms(at - 0.1), ev::kBottomHalf, 4).at(ms(at), ev::kRUNNABLE, pid);
    b.at(ms(at + 0.1), ev::kBottomHalf | kReturn, 4);
  };
  done(20.1 + stalls, kVictim);
  done(300, kOther);
  b.at(ms(300.2), ev::kUSERPID, kOther).at(ms(300.3), kFsync | kReturn, 0);
  return b;
}

TraceBuilder idle_exit(double each) {
  TraceBuilder b = named("waker");
  b.cpu(0, kVictim, "victim");
  for (double at = 10; at < 400; at += 20) {
    b.at(ms(at), kRead, 3).at(ms(at + 0.1), ev::kUSERPID, 0);
    b.at(ms(at + 0.2), ev::kMWAIT, 2u << 16 | 0x20);
    b.at(ms(at + 10 + each), kReschedule).at(ms(at + 10 + each) + 20, kReschedule | kReturn);
    b.at(ms(at + 10 + each) + 40, ev::kUSERPID, kVictim);
    b.at(ms(at + 10 + each) + 60, kRead | kReturn, 1);
  }
  b.cpu(1, kOther, "waker");
  for (double at = 20; at < 410; at += 20) {
    b.at(ms(at) - 20, kWrite, 4).at(ms(at), ev::kRUNNABLE, kVictim);
    b.at(ms(at) + 10, ev::kSEND_IPI, 0).at(ms(at) + 20, kWrite | kReturn, 1);
  }
  return b;
}

// The victim is woken on its idle CPU again and again, and runs so much later each time.
TraceBuilder held_back(double each, int times, CpuId from = 0) {
  TraceBuilder b = named("waker");
  b.cpu(0, kVictim, "victim");
  if (from != 0) b.at(ms(1), ev::kUSERPID, 0);
  const auto begin = [](int i) { return 10.0 + 110 * i; };
  for (int i = 0; i < times; ++i) {
    if (from == 0) b.at(ms(begin(i)), kRead, 3).at(ms(begin(i) + 0.1), ev::kUSERPID, 0);
    b.at(ms(begin(i) + 1 + each), ev::kUSERPID, kVictim)
        .at(ms(begin(i) + 2 + each), kRead | kReturn, 1);
    if (from != 0) b.at(ms(begin(i) + 3 + each), ev::kUSERPID, 0);
  }
  if (from != 0) {
    b.cpu(from);
    for (int i = 0; i < times; ++i) {
      b.at(ms(begin(i) - 5), ev::kUSERPID, kVictim).at(ms(begin(i)), kRead, 3);
      b.at(ms(begin(i) + 0.1), ev::kUSERPID, 0);
    }
  }
  b.cpu(1, kOther, "waker");
  for (int i = 0; i < times; ++i)
    b.at(ms(begin(i)), kWrite, 4)
        .at(ms(begin(i) + 1), ev::kRUNNABLE, kVictim)
        .at(ms(begin(i) + 2), kWrite | kReturn, 1);
  return b;
}

TraceBuilder frequency(std::uint32_t later) {
  TraceBuilder b = named();
  b.cpu(0, kVictim, "victim");
  for (double at = 1; at < 700; at += 10) b.at(ms(at), ev::kFREQUENCY, at < 200 ? 3000 : later);
  return b;
}

TraceBuilder migrations(double every) {
  TraceBuilder b = named();
  for (const CpuId cpu : {0u, 1u}) {
    b.cpu(cpu, cpu == 0 ? kVictim : 0);
    bool here = cpu == 0;
    for (double at = 1; at < 500; at += every) {
      here = !here;
      b.at(ms(at) + (here ? 10 : 0), ev::kUSERPID, here ? kVictim : 0);
    }
  }
  return b;
}

TraceBuilder spin(EventNum call, double every, int result, unsigned lasts = 60) {
  constexpr int kOfBlock = 6000;
  TraceBuilder b = named();
  b.cpu(0, kVictim, "victim");
  int made = 0;
  for (double at = 1; at < 300; at += every) {
    if (++made % kOfBlock == 0) b.new_block(ms(at), kVictim, "victim");
    b.folded(ms(at), call, 0, lasts, result);
  }
  return b;
}

TraceBuilder recorder(const char* percent) {
  TraceBuilder b = named();
  b.fact("cost_percent", percent).cpu(0, kVictim, "victim").folded(ms(1), kRead, 3, 20, 1);
  return b;
}

// The victim waits for a CPU; its group was kept from running for so long, as a reading at the end
// tells.
TraceBuilder throttled(double time) {
  TraceBuilder b = starved(400);
  b.fact("cgroups", "on").text(kind::kPROCESS, record_text(CgroupRecord{kVictim, kStart, "/box"}));
  CounterRecords records;
  records.series = {{0, true, "events", kNoPid, "quota_periods /box"},
                    {1, true, "events", kNoPid, "throttled_periods /box"},
                    {2, true, "ns", kNoPid, "throttled /box"}};
  const auto ns = static_cast<std::int64_t>(time * 1e6);
  records.readings = {
      {static_cast<std::int64_t>(kStart) + 10, {{0, 7}, {1, 3}, {2, 500}}},
      {static_cast<std::int64_t>(kStart) + 48'000'000, {{0, 14}, {1, 8}, {2, ns + 500}}}};
  for (const std::string& text : counter_texts(records)) b.text(kind::kCOUNTER, text);
  return b;
}

}  // namespace

const std::vector<OddTrace>& odd_traces() {
  static const std::vector<OddTrace> all = {
      {"starved",
       {[] { return starved(510); }, [] { return starved_to_the_end(290); },
        [] { return starved(510, 25); }},
       {[] { return starved(490); }, [] { return starved(510, 100); }, not_told,
        [] { return starved_to_the_end(310); }}},
      {"throttled", {[] { return throttled(101); }}, {[] { return throttled(99); }}},
      {"held-back",
       {[] { return held_back(21, 5); }, [] { return held_back(80, 2); }},
       {[] { return held_back(19, 7); }, [] { return held_back(24, 4); },
        [] { return held_back(30, 5, 2); }}},
      {"sleeping-holder",
       {[] { return sleeping_holder(true, kNanosleep); }, sleeping_holders},
       {[] { return sleeping_holder(false, kNanosleep); },
        [] { return sleeping_holder(true, kEpollWait); },
        [] { return sleeping_holder(true, kFutex); },
        [] { return sleeping_holder(true, kRead, ev::kBottomHalf); }, work_in_turns}},
      {"lock-convoy",
       {[] { return convoy(10, 10); }, [] { return convoy(10, 16); }},
       {[] { return convoy(16, 16); }, barrier}},
      {"priority-inversion",
       // The holder is ready before anybody waits for it, too.
       {[] { return inversion(110); }, [] { return inversion(170, 60); }},
       {[] { return inversion(90); }, [] { return inversion(170, 95); }}},
      {"interrupts",
       {[] { return interrupts(5.2); }, [] { return many_interrupts(kNetwork); }},
       {[] { return interrupts(4.8); }, [] { return many_interrupts(ev::kBottomHalf); }}},
      {"faults", {[] { return faults(0.55); }}, {[] { return faults(0.45); }}},
      {"flush",
       {[] { return flush(105); }},
       {[] { return flush(95); }, [] { return flush(105, true); }}},
      {"idle-exit", {[] { return idle_exit(0.6); }}, {[] { return idle_exit(0.4); }}},
      {"frequency", {[] { return frequency(1700); }}, {[] { return frequency(1900); }}},
      {"migrations", {[] { return migrations(0.9); }}, {[] { return migrations(1.1); }}},
      {"spin",
       {[] { return spin(kYield, 0.09, 0); }, [] { return spin(kRead, 0.09, -11); },
        [] { return spin(kRead, 0.09, 0); }, [] { return spin(kGetpid, 0.02, 77, 200); }},
       {[] { return spin(kYield, 0.11, 0); }, [] { return spin(kRead, 0.09, 1); },
        [] { return spin(kRead, 0.09, -5); },
        // 64 KiB, of which a result has the low 16 bits.
        [] { return spin(kRead, 0.09, 0, 100); },
        // Between its work.
        [] { return spin(kGetpid, 0.09, 77, 60); }}},
      {"recorder", {[] { return recorder("5.5"); }}, {[] { return recorder("4.5"); }}},
  };
  return all;
}

}  // namespace kutrace::test
