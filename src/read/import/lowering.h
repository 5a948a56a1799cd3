// SPDX-License-Identifier: BSD-3-Clause
// Events of another tool's file to a raw trace: the same entries that this project's own sources
// would have written, and losses and facts for what the file does not tell. Nothing is made up:
// where it is not known who runs, the time is lost.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/counters.h"
#include "format/raw_writer.h"
#include "read/import/kernel_event.h"

namespace kutrace::read {

class Lowering {
 public:
  struct Options {
    std::string source;           // fact: who recorded
    std::string machine;          // as uname has it; empty: not known, and calls have numbers only
    Ns begin = 0;                 // of the file's clock: no event is earlier
    bool is_monotonic = false;    // that clock is CLOCK_MONOTONIC
    std::uint64_t wall_usec = 0;  // then; 0: not known
    std::uint64_t most_cpus = 0;  // that have events: each needs a block
  };

  Lowering(Options options, BlockOutput output);

  NameEntries& names() { return writer_.names(); }

  // Of one CPU, events come in the order of their times; one that is older than the one before it
  // takes its time, and is counted. So is one that speaks of a CPU or thread of which no trace can
  // tell, and nothing else becomes of it, but that who runs behind such a switch is not known; nor
  // of one that lies far ahead of what its CPU did before and did next, or of all that was done.
  Status push(const KernelEvent& event);
  // The file lost what happened on the CPU since its last event, and until `end`.
  Status lose(CpuId cpu, Ns end, unsigned reason,
              std::uint64_t entries = KUTRACE_LOSS_UNKNOWN_COUNT);
  // The file is cut: of all CPUs what came behind their last events.
  Status lose_rest(Ns end);
  // The file was told to record this, whether or not it happened.
  void records(What what);
  // The CPU was recorded, whether or not anything happened on it.
  void has(CpuId cpu);
  // What the file knows of threads beside events.
  void name(Pid pid, std::string_view name);
  // What a thread was called at the end, where nothing else names it.
  void finally_called(Pid pid, std::string_view name);
  void belongs(Pid pid, Pid process, Pid parent);

  // `end` is of the file's clock: the last event's, or later. One that lies far ahead of all events
  // is not believed, and counted.
  Status finish(Ns end);
  Counters found() const;

 private:
  struct Cpu {
    bool known = false;  // who runs
    bool begun = false;  // an event was written
    bool said = false;   // that it was recorded
    Pid running = 0;
    Ticks last = 0;
    std::optional<LossFacts> lost;  // since the last event
    // It lies far ahead of the event before it, and nothing has come behind it.
    std::optional<KernelEvent> held;
  };
  struct Thread {
    std::string name;        // now
    std::string first_name;  // when it was first told of
    Pid process = kNoPid;
    Pid parent = kNoPid;
    CpuId found_on = kNoCpu;       // an event named it there last, not a switch
    bool woken = false;            // since it ran last, by an event that comes where it is woken
    bool born = false;             // in this trace
    bool fresh = false;            // and has not run yet
    bool called = false;           // made a system call
    bool marks = false;            // is in the call that carries a mark
    std::optional<unsigned> call;  // that it is in
    bool family_told = false;      // by an entry
  };

  Cpu& of(CpuId cpu);
  bool told(What what) const { return told_[static_cast<std::size_t>(what)]; }
  Ticks ticks(Ns time) const;
  bool is_far_ahead(const Cpu& cpu, Ns time) const;
  Status settle(CpuId cpu, Ns next);
  void leave_out(const KernelEvent& event);
  Status take_held();
  Status take(const KernelEvent& event);
  Status doubt(const KernelEvent& event);
  Ticks last() const;
  Ticks end_of_all(Ns told);
  Status put(CpuId cpu, EventNum event, std::uint32_t argument = 0);
  Status put_return(CpuId cpu, EventNum call, std::int64_t result = 0);
  Status put_name(CpuId cpu, Pid pid, std::string_view name);
  Status who_runs(CpuId cpu, Pid pid);
  Status put_family(CpuId cpu, Pid pid);
  Status begin(CpuId cpu);
  void write_loss(CpuId cpu, Ticks end);
  Status convert(const KernelEvent& event);
  Status convert_of_thread(const KernelEvent& event);
  Status convert_of_cpu(const KernelEvent& event);
  Status switched(const KernelEvent& event);
  Status woken(const KernelEvent& event);
  Status made(const KernelEvent& event);
  Status born(CpuId cpu, Pid maker, Pid child, std::string_view name);
  Status started(const KernelEvent& event);
  Status called(const KernelEvent& event);
  Status inserted(const KernelEvent& event, bool is_written);
  Status returned(const KernelEvent& event);
  Status interrupted(const KernelEvent& event);
  Status signaled(const KernelEvent& event);
  Status handled_nmi(const KernelEvent& event);
  bool is_kernel_thread(Pid pid, const Thread& thread) const;
  std::size_t argument_count(unsigned call) const;
  void say_threads();
  void say_facts();

  Options options_;
  RawWriter writer_;
  std::vector<std::size_t> argument_counts_;  // by number of the call
  std::vector<unsigned> last_calls_;          // numbers of calls that end a thread
  std::vector<Cpu> cpus_;                     // by number
  std::unordered_map<Pid, Thread> threads_;
  std::unordered_map<std::uint32_t, std::string> irq_names_;  // by slot
  std::array<bool, static_cast<std::size_t>(What::kCount)> told_{};
  std::uint64_t begun_ = 0;  // CPUs
  std::uint64_t clamped_ = 0;
  std::uint64_t impossible_ = 0;
  std::uint64_t ahead_ = 0;                          // events that were left out for it
  Ns first_ahead_ = std::numeric_limits<Ns>::max();  // the earliest of them
  bool end_is_far_ = false;
  std::uint64_t lost_before_ = 0;  // events, before the first of their CPU
};

}  // namespace kutrace::read
