// SPDX-License-Identifier: BSD-3-Clause
// Waits for one CPU, summed up by what that CPU did meanwhile. In: what it did, in the order of
// time, and from when to when somebody waited for it; out: for each thing it did, how many waits
// saw it, for how long together, and the longest time of one.
//
// The steps grow with the waits and the stretches, n log n, and not with how many stretches each
// wait spans: with thousands of ready threads, which run in turn, each wait spans thousands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time_window.h"
#include "base/units.h"
#include "base/wide.h"

namespace kutrace::reports {

class WaitSweep {
 public:
  // To the begin of the next one.
  struct Stretch {
    Ns begin = 0;
    std::uint32_t what = 0;
  };
  struct Sum {
    std::uint64_t waits = 0;
    Ns total = 0;  // as of add_time
    Ns longest = 0;
  };

  // The stretches follow each other without a gap, the last one ends at `end`. Each `what` is below
  // `kinds`.
  WaitSweep(std::span<const Stretch> stretches, Ns end, std::uint32_t kinds);

  // By what the CPU did. No wait is empty, and each lies in the time of the stretches.
  std::vector<Sum> sums(std::vector<TimeWindow> waits);

 private:
  using Place = std::uint32_t;  // of a stretch, in the order of time
  using Turn = std::uint32_t;   // of a stretch, among all by `what`, then time

  Ns end_of(Place place) const;
  Ns time_in(Turn turn, Ns from, Ns to) const;
  void meet(Place place, Sum& sum, Wide& total);

  std::span<const Stretch> stretches_;
  Ns end_;
  std::vector<Turn> firsts_;    // by `what`: its first turn, and the end of all
  std::vector<Place> of_turn_;  // in which order the stretches stand by turn
  std::vector<Turn> turns_;     // by place
  std::vector<Ns> before_;      // by turn: how long the CPU had done the same before

  // What is going on at the stretch that is looked at.
  std::vector<TimeWindow> waits_;  // by begin
  std::vector<Ns> ends_;           // sorted
  std::size_t begun_ = 0;          // waits that began before or with the stretch
  std::size_t ended_ = 0;          // waits that ended before or with its begin
  Ns latest_ = 0;                  // end of those that began
};

}  // namespace kutrace::reports
