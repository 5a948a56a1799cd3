// SPDX-License-Identifier: BSD-3-Clause
// Where time went, and how often what happened. In: spans of all the time, calls and moments of the
// windows, lives; out: a row per CPU, thread, process, program or kind, or per interval of time.
// Rows of CPUs add up to the CPUs' time, and so do those of threads with idle and what is not told;
// a thread's own to its life. What happens at a moment, and a delay, is of the window in which it
// begins, so the sums of adjoining windows add up to those of all the time. Memory grows with CPUs,
// threads and at most kMostIntervals intervals.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time_window.h"
#include "model/call.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "reports/duration_histogram.h"
#include "reports/stat_groups.h"
#include "reports/thread_names.h"
#include "reports/wait_times.h"

namespace kutrace::reports {

struct StatSums {
  // Execution. `interrupts` ran while the thread was on the CPU, and on no behalf of it.
  Ns user = 0;
  Ns kernel = 0;  // system calls, faults, the scheduler
  Ns interrupts = 0;
  Ns idle = 0;
  Ns hidden = 0;
  Ns lost = 0;
  Ns life = 0;     // of threads, as far as it lies in the part; 0 where the trace does not tell
  Ns unknown = 0;  // of a life: neither executing nor waiting; in rows alone
  WaitTimes waits{};
  DurationHistogram ready;        // delays between being woken, or preempted, and running
  std::uint64_t switches = 0;     // away from a thread; a CPU has those away from idle, too
  std::uint64_t voluntary = 0;    // of which the thread blocked
  std::uint64_t involuntary = 0;  // it was preempted
  std::uint64_t woken = 0;        // to run again
  std::uint64_t migrations = 0;   // it ran on another CPU than before
  std::uint64_t syscalls = 0;
  std::uint64_t faults = 0;
  std::uint64_t irqs = 0;
  std::uint64_t softirqs = 0;

  Ns executing() const { return user + kernel + interrupts; }
  Ns blocked() const;  // all waits but that for a CPU
  Ns waiting() const { return sum_of(waits); }
  Ns all_time() const { return executing() + idle + hidden + lost; }
  void add(const StatSums& other);
};

struct StatRow {
  std::string name;     // "server.12", "server", "CPU 3"
  std::int64_t id = 0;  // CPU, thread, process; of a program: how many threads
  Ns begin = 0;         // of an interval
  Ns end = 0;
  StatSums sums;
};

// A kind of execution. FKT's two columns: in itself, and with what it called and what interrupted
// it. An interrupt in an interrupt is in both.
struct StatKind {
  SpanKind kind = SpanKind::kUser;
  Ns own = 0;
  Ns with_called = 0;
  std::uint64_t calls = 0;
  Ns blocked = 0;  // calls' waits
  DurationHistogram durations;
};

// A function of programs, in itself and with the functions that it called: wall time. One that
// calls itself has its inner calls in the second once more.
struct StatFunction {
  std::string name;
  Ns own = 0;
  Ns with_called = 0;
  std::uint64_t calls = 0;
  DurationHistogram durations;
};

class Stat : public SpanSink {
 public:
  static constexpr std::size_t kMostIntervals = 10'000;

  struct Options {
    std::vector<TimeWindow> windows;  // those of the part, tidy; none: all the time
    bool whole_threads = true;        // all CPUs are in the part, so what a thread does is, too
    Ns every = 0;                     // length of an interval; 0: none are asked for
  };

  Stat(const NameTable& names, Options options)
      : names_(names), options_(std::move(options)), who_(names) {}

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override { who_.finish(info); }

  // After the end. CPUs by number, intervals by time, others by decreasing time executing.
  std::vector<StatRow> rows(StatBy by, const TraceInfo& info) const;
  // Those that occur.
  std::vector<StatKind> kinds() const;
  // Most of their own time first.
  std::vector<StatFunction> functions() const;
  // Longer than asked for if there would have been too many.
  Ns every() const { return options_.every; }
  // Whether the trace has calls, or faults at least, and lives. A part may have none of the calls.
  bool tells_calls() const { return calls_told_ || any_life_; }
  bool tells_faults() const { return tells_calls() || faults_told_; }
  bool tells_interrupts() const { return tells_calls() && (interrupts_told_ || !any_interrupt_); }
  bool tells_lives() const { return lives_told_; }

 private:
  struct Thread {
    StatSums sums;
    CpuId cpu = kNoCpu;      // where it ran last
    Ns since = 0;            // begin of its last execution
    Ns until = -1;           // end of it
    TimeWindow woken;        // from the last wakeup until it ran
    TimeWindow first_ready;  // its last wait, if it was ready from where it was switched away
    bool kernel = false;

    bool is_of_part() const {
      return sums.all_time() != 0 || sums.life != 0 || sums.waiting() != 0 || sums.woken != 0;
    }
  };
  struct Cpu {
    bool any = false;
    StatSums sums;
    Span last;  // of execution
    std::uint32_t last_thread = 0;
    // The last two of each kind: of hard interrupts, an NMI may lie between pieces of another.
    std::array<std::array<CallId, 2>, 2> interrupts{};
  };

  static bool slept(const Thread& thread);
  Thread& thread_at(std::uint32_t row);
  Cpu& cpu_at(CpuId cpu);
  StatSums* interval_at(Ns time);
  void fold_intervals();
  void execution(const Span& span);
  void ran(Cpu& cpu, Thread& thread, const Span& span);
  static bool is_first_piece(Cpu& cpu, const Span& interrupt);
  void switched(Cpu& cpu, const Span& to);
  void wait(const Span& span);
  void wakeup(const Span& span);
  void function(const Span& span);
  void fault(const Span& span);
  bool has(Ns moment) const;
  template <typename Add>
  void each_part(const Span& span, const Add& add) const;
  template <typename Add>
  void each_interval(Ns start, Ns end, const Add& add);

  const NameTable& names_;
  Options options_;
  Ns begin_ = 0;
  bool switches_told_ = true;
  std::vector<Cpu> cpus_;
  ThreadNames who_;
  std::vector<Thread> threads_;  // as who_ has them
  std::vector<StatSums> intervals_;
  std::array<StatKind, kExecutionKinds> kinds_{};
  std::unordered_map<NameId, StatFunction> functions_;
  bool calls_told_ = false;
  bool faults_told_ = false;      // as moments
  bool any_interrupt_ = false;    // or a piece of one
  bool interrupts_told_ = false;  // so that pieces of one can be told from others
  bool any_life_ = false;
  bool lives_told_ = false;
};

}  // namespace kutrace::reports
