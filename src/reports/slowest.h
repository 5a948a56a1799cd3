// SPDX-License-Identifier: BSD-3-Clause
// Chooses the slowest of many intervals, and some of the others to compare them with. In:
// intervals; out: the slowest, longest first, and at most `kMostOthers` others, evenly spread over
// the order in which they came. Memory: for so many of them little; for a share of them all.
#pragma once

#include <cstdint>
#include <vector>

#include "reports/interval.h"

namespace kutrace::reports {

class Slowest {
 public:
  static constexpr std::size_t kMostOthers = 1000;

  // So many, or so many of a hundred.
  static Slowest number(std::size_t most) { return {most, 0}; }
  static Slowest share(double percent) { return {0, percent}; }

  void add(const Interval& interval);
  void finish();

  std::uint64_t count() const { return count_; }
  // After `finish`.
  const std::vector<Interval>& slowest() const { return slow_; }
  const std::vector<Interval>& others() const { return others_; }

 private:
  Slowest(std::size_t most, double percent) : most_(most), percent_(percent) {}
  void add_other(const Interval& interval);

  std::size_t most_;
  double percent_;
  std::uint64_t count_ = 0;
  std::uint64_t others_seen_ = 0;
  std::uint64_t stride_ = 1;    // of the others, every so many-th is kept
  std::vector<Interval> slow_;  // while it grows: a heap, the shortest first
  std::vector<Interval> others_;
};

}  // namespace kutrace::reports
