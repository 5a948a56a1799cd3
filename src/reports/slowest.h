// SPDX-License-Identifier: BSD-3-Clause
// Chooses the slowest of many intervals, and some of the others to compare them with. In:
// intervals; out: the slowest, longest first, at most `kMostSlow`, and at most `kMostOthers`
// others, evenly spread: over how long they lasted, and of more than 2 * `kMostSlow` intervals over
// the order in which they came. Memory: 48 bytes for each interval, at most 48 MB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "reports/interval.h"

namespace kutrace::reports {

class Slowest {
 public:
  static constexpr std::size_t kMostOthers = 1000;
  static constexpr std::size_t kMostSlow = 500'000;

  // So many, or so many of a hundred.
  static Slowest number(std::size_t most) { return {most, 0}; }
  static Slowest share(double percent) { return {0, percent}; }

  void add(const Interval& interval);
  void finish();

  std::uint64_t count() const { return count_; }
  // How many were asked for, after `finish`: more than `kMostSlow` are not looked at.
  std::uint64_t wanted() const { return wanted_; }
  // After `finish`.
  const std::vector<Interval>& slowest() const { return slow_; }
  const std::vector<Interval>& others() const { return others_; }

 private:
  Slowest(std::size_t most, double percent) : percent_(percent), wanted_(most) {}
  void cut(std::size_t most);
  void add_other(const Interval& interval);

  double percent_;        // 0: a number
  std::uint64_t wanted_;  // of a share after `finish`
  std::uint64_t count_ = 0;
  std::uint64_t others_seen_ = 0;
  std::uint64_t stride_ = 1;          // of the others, every so many-th is kept
  std::vector<Interval> slow_;        // while it grows: all, or twice the most
  std::optional<Interval> shortest_;  // that can be one of the slow ones, once there are more
  std::vector<Interval> others_;
};

}  // namespace kutrace::reports
