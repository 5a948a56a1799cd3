// SPDX-License-Identifier: BSD-3-Clause
// What a stream of spans says that happened, told to an observer in an order in which each thread
// and each CPU goes on: waits when the thread runs again, calls when they return. In: spans of any
// trace; out: happenings, and for looking back the last waits of each thread and who had each CPU
// last. Memory: about 600 bytes for each thread, and for each CPU as much as its last runs take, at
// most 400 KiB, and of many CPUs 25 MiB in all; none for a span.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_set>
#include <vector>

#include "base/time_window.h"
#include "base/units.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "model/whole_threads.h"

namespace kutrace::odd {

using Row = std::uint32_t;  // of a thread, in the order of appearance
constexpr Row kNoRow = std::numeric_limits<Row>::max();
// Who else may have a CPU.
constexpr Row kIdleRow = kNoRow - 1;
constexpr Row kIdleExitRow = kNoRow - 2;
constexpr Row kInterruptRow = kNoRow - 3;
constexpr Row kNotToldRow = kNoRow - 4;
constexpr bool is_thread(Row row) { return row < kNotToldRow; }

// How much of [begin, end) lies in [from, to).
constexpr Ns overlap(Ns begin, Ns end, Ns from, Ns to) {
  return std::max<Ns>(0, std::min(end, to) - std::max(begin, from));
}

struct Wait {
  Ns begin = 0;
  Ns end = 0;
  Pid pid = kNoPid;       // the thread's number then
  NameId call = kNoName;  // that it was in
  char letter = 0;        // WAIT table
  // Of a wait for a CPU: for which one, and what of that time was lost; of a long one, who had that
  // CPU longest, without interrupts, and since when that is known.
  CpuId cpu = kNoCpu;
  Ns lost = 0;
  Row holder = kNoRow;
  Ns held = 0;
  Ns held_by_name = 0;  // by all threads that have the holder's name
  Ns held_since = 0;

  Ns duration() const { return end - begin; }
  Ns known() const { return duration() - lost; }
};

struct ReadyWait {
  Row row = kNoRow;
  Wait wait;
  CpuId before = kNoCpu;  // where it had run last
};

struct BlockedWait {
  Row row = kNoRow;
  Wait wait;
  Row waker = kNoRow;  // kNoRow: an interrupt of an idle CPU, or not told
};

struct ReturnedCall {
  Row row = kNoRow;
  Pid pid = kNoPid;  // the thread's number then
  NameId name = kNoName;
  std::uint64_t arg = 0;
  std::int64_t result = 0;
  Ns begin = 0;
  Ns end = 0;
  Ns blocked = 0;
};

struct LockWait;  // odd/lock_waits.h

struct Move {
  Row row = kNoRow;
  Pid pid = kNoPid;  // the thread's number then
  Ns time = 0;
  CpuId from = kNoCpu;
  CpuId to = kNoCpu;
  bool back = false;  // to where it had been before
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void interrupt(const Span& /*piece*/) {}
  virtual void fault(const Span& /*piece*/, Row) {}
  virtual void call(const ReturnedCall&) {}
  virtual void ready(const ReadyWait&) {}
  virtual void blocked(const BlockedWait&) {}
  // Comes when the lock is released.
  virtual void lock(const LockWait&) {}
  virtual void moved(const Move&) {}
  // Comes when the CPU has reached its end.
  virtual void frequency(const Span&) {}
};

class Scene {
 public:
  // Waits for a CPU that are shorter are not told: a switch takes some of that.
  static constexpr Ns kLeastReady = 100'000;
  static constexpr Ns kLongWork = 10'000'000;
  // Of longer waits it is told who had the CPU.
  static constexpr Ns kLongReady = 50'000'000;

  void tell(Observer& observer) { observer_ = &observer; }
  void begin(const TraceInfo& known) {
    tells_how_ = known.facts.has(fact::kSource);
    const std::size_t cpus = std::max<std::size_t>(1, known.cpus.size());
    most_runs_ = std::clamp(kAllRuns / cpus, kFewestRuns, kMostRuns);
  }
  void push(const Span& span);
  void life(const ThreadLife& life);
  // Tells of the threads that are ready where the trace ends.
  void end(Ns end);

  // Its last number.
  Pid pid_of(Row row) const { return rows_.pid(row); }
  bool had_number(Row row, const std::unordered_set<Pid>& numbers) const {
    return rows_.had_number(row, numbers);
  }
  bool is_last(Row row) const { return rows_.is_last(row); }
  ThreadId thread_of(Row row) const { return rows_.thread(row); }
  NameId name_of(Row row) const { return threads_[row].name; }
  std::size_t threads() const { return threads_.size(); }
  Ns executed(Row row) const { return threads_[row].executed; }
  bool is_kernel_s(Row row) const { return threads_[row].kernel; }

  // Who had the CPU, and for how much of that time, latest first and as far back as is kept, until
  // `visit` says false. Returns since when that is known.
  template <typename Visit>  // bool(Row, Ns)
  Ns had_cpu(CpuId number, Ns begin, Ns end, const Visit& visit) const;
  // Where the CPU did not idle for kLongWork and more, and any of that time: the last of these.
  void worked(CpuId number, Ns begin, Ns end,
              const std::function<void(const TimeWindow&)>& visit) const;
  // Of the last waits of the thread, what lies in that time.
  void waits_in(Row row, Ns begin, Ns end, const std::function<void(const Wait&)>& visit) const;

 private:
  static constexpr std::size_t kKeptWaits = 8;
  // A tick of the clock ends a run, so this reaches back for some seconds.
  static constexpr std::size_t kMostRuns = 16'384;
  static constexpr std::size_t kFewestRuns = 256;
  static constexpr std::size_t kAllRuns = 1024 * 1024;  // of all CPUs
  static constexpr std::size_t kKeptLosses = 32;
  // A wait of which more is lost, one part of so many, is known since the last loss only.
  static constexpr Ns kMostLost = 10;
  static constexpr std::size_t kKeptWork = 64;
  static constexpr Ns kNever = std::numeric_limits<Ns>::min();

  struct Wakeup {
    Ns time = 0;
    Pid waker = kNoPid;
  };
  struct OpenCall {
    bool open = false;
    CallId id = CallId::kNone;
    NameId name = kNoName;
    std::uint64_t arg = 0;
    Ns begin = 0;
    Ns blocked = 0;
  };
  struct Thread {
    NameId name = kNoName;
    CpuId cpu = kNoCpu;     // where it ran last
    CpuId before = kNoCpu;  // where it ran before it moved
    Ns until = kNever;      // end of its last span
    Ns executed = 0;
    bool kernel = false;
    OpenCall call;
    std::vector<Wait> coming;  // told, but the thread did not run since; by end
    std::vector<Wakeup> wakeups;
    std::array<Wait, kKeptWaits> waits{};  // in turn
    std::size_t next_wait = 0;
  };
  struct Run {
    Ns begin = 0;
    Ns end = 0;
    Row row = kNoRow;
  };
  // The last times that were lost.
  class Losses {
   public:
    void add(const TimeWindow& loss);
    // What is older than all that is kept counts as lost.
    Ns in(Ns begin, Ns end) const;
    Ns until() const { return until_; }

   private:
    std::vector<TimeWindow> kept_;  // in turn
    std::size_t last_ = 0;
    Ns not_kept_until_ = kNever;
    Ns until_ = kNever;  // the end of the last one
  };
  struct Cpu {
    std::vector<Run> runs;  // in turn
    std::size_t last = 0;
    Ns runs_since = kNever;
    TimeWindow working;              // since it idled last
    std::vector<TimeWindow> worked;  // in turn
    std::size_t next_worked = 0;
    std::vector<Span> frequencies;  // whose end it has not reached; by end
    Losses unseen;                  // its runs of what tracers are not shown
  };

  Thread& thread_at(Row row);
  void execution(const Span& span);
  void of_no_thread(const Span& span);
  void occupy(const Span& span, Row row);
  void work(Cpu& cpu, const Span& span);
  void reach(Cpu& cpu, Ns end);
  Cpu& cpu_at(CpuId number);
  void resume(Row row, const Span& span);
  Wait part_of(const Wait& wait, Ns begin, Ns end) const;
  void find_holder(Wait& wait) const;
  Ns lost_in(const Wait& wait) const;
  void leave_out_losses(Wait& wait);
  bool is_ready(const Thread& thread, const Wait& wait, Ns resumed) const;
  void was_ready(Row row, Wait wait, const Span& resumed);
  void was_blocked(Row row, const Wait& wait, Ns resumed);
  void keep(Thread& thread, const Wait& wait);
  void moves(Row row, const Span& span);
  void in_call(Row row, const Span& span);

  Observer* observer_ = nullptr;
  WholeThreads rows_;
  std::vector<Thread> threads_;
  mutable std::vector<Ns> held_;  // by thread: of the wait that is looked at; all 0 between
  std::vector<Cpu> cpus_;
  bool tells_how_ = false;  // whether a thread that left its CPU was preempted or blocked
  std::size_t most_runs_ = kMostRuns;  // of a CPU
  Losses losses_;                      // of any CPU
};

template <typename Visit>
Ns Scene::had_cpu(CpuId number, Ns begin, Ns end, const Visit& visit) const {
  if (number >= cpus_.size()) return end;
  const Cpu& cpu = cpus_[number];
  std::size_t at = cpu.last;
  for (std::size_t left = cpu.runs.size(); left > 0; --left) {
    const Run& run = cpu.runs[at];
    if (run.end <= begin) break;
    const Ns inside = overlap(run.begin, run.end, begin, end);
    if (inside > 0 && !visit(run.row, inside)) break;
    at = (at == 0 ? cpu.runs.size() : at) - 1;
  }
  return std::clamp(cpu.runs_since, begin, end);
}

}  // namespace kutrace::odd
