// SPDX-License-Identifier: BSD-3-Clause
// What CPUs did while threads were ready, summed up by cause. In: what happened, waits for a CPU;
// out: how long which cause kept how many. The same as a walk (critical_path.h), without its order:
// pieces of a CPU that are alike for a waiting thread are one, and kept side by side. Waits that
// span many of these are put off and summed up together (wait_sweep.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "base/time_window.h"
#include "reports/cause.h"
#include "reports/name_rows.h"

namespace kutrace::reports {

// Why `waiting` did not run while its CPU did that.
Cause ready_cause(const Piece& had, ThreadRow waiting);
// Whether who waits there does so because of that: a CPU that idles is free to switch.
bool keeps_others(const Piece& had);

struct CpusOfWait {
  CpuId left = kNoCpu;  // it was taken off this one
  CpuId next = kNoCpu;  // it ran on this one next
};
CpusOfWait cpus_of_wait(const Happenings& happenings, const Piece& wait);

class ReadyTimes {
 public:
  struct Sum {
    Cause cause;  // as NameRows makes it general
    std::uint64_t waits = 0;
    Ns total = 0;
    Ns longest = 0;
  };

  ReadyTimes(const Happenings& happenings, NameRows& names);

  // What a CPU did, each CPU's in the order of time.
  void did(const Piece& piece);
  // Comes before `add`, and after what was done since: what threads are called by now counts.
  void arrange();
  // Of the wait what lies between these times.
  void add(const Piece& wait, Ns from, Ns to);
  // Hands over the sums of all waits that were added since the last call.
  void take_sums(const std::function<void(const Sum&)>& sink);
  // No part of a wait that is added lies before that, except in these tidy windows.
  void forget(Ns time, const std::vector<TimeWindow>& except);

 private:
  using Class = std::uint32_t;
  // To the begin of the next one. `cause` says what the CPU did, of which thread.
  struct Stretch {
    Ns begin = 0;
    Class cause = 0;
    ThreadRow row = kNoRow;  // that ran
  };
  struct PutOff {
    TimeWindow wait;
    ThreadRow row = kNoRow;  // that waits
  };
  struct OfCpu {
    std::vector<Stretch> stretches;
    Ns end = 0;  // of the last one
    // As arranged: how many of the stretches before keep no others, and of all.
    std::vector<std::uint32_t> free;
    std::vector<PutOff> put_off;  // waits for this CPU alone
  };
  class Cursor;

  static constexpr Class kNotTold = 0;
  // A wait of so many stretches is put off.
  static constexpr std::size_t kMany = 64;
  // A sweep takes as long for a stretch or a wait as a walk for so many of its steps.
  static constexpr std::size_t kSweepStep = 32;

  Class class_of(const Piece& piece);
  Class add_class(const Piece& piece);
  OfCpu& of_cpu(CpuId cpu);
  const OfCpu* known_cpu(CpuId cpu) const;
  // How many stretches begin before or at that time.
  static std::size_t begun_by(const std::vector<Stretch>& stretches, Ns time);
  // From the begin of the first one to the end of the last one.
  static TimeWindow hull(const std::vector<PutOff>& put_off);
  bool keeps_throughout(const OfCpu& cpu, Ns from, Ns to) const;
  bool spans_many(const OfCpu& cpu, Ns from, Ns to) const;
  bool runs_in(const Piece& wait) const;
  void walk(const OfCpu* left, const OfCpu* next, const PutOff& of);
  void sum_up(OfCpu& cpu);
  void sweep(const OfCpu& cpu, const std::vector<PutOff>& put_off, const TimeWindow& all);
  void count(const Stretch& stretch, ThreadRow waiting, Ns time);
  void put(std::uint32_t place, std::uint64_t waits, Ns total, Ns longest);

  const Happenings& happenings_;
  NameRows& names_;
  std::vector<OfCpu> cpus_;          // by number
  std::vector<CpuId> with_put_off_;  // those that have waits put off
  std::map<Cause, Class> classes_;
  std::vector<Cause> causes_;          // by class, each thread for itself
  std::vector<std::uint8_t> keeps_;    // by class: others, though the CPU is not the next one
  std::vector<Class> of_rows_;         // by row: while it ran; kNotTold: not asked
  std::vector<Class> of_names_;        // by name of an interrupt, the same
  std::vector<std::uint32_t> places_;  // by class: in sums_
  std::vector<Sum> sums_;              // of causes as names_ makes them general
  std::vector<Ns> times_;              // the same, of the wait under way
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint32_t> used_;  // places of sums that are of some wait
};

}  // namespace kutrace::reports
