// SPDX-License-Identifier: BSD-3-Clause
// What recording costs a command. In: runs of it without a recorder, and runs under each of some
// ways to record; out: for each way the difference of wall time and of the command's own CPU time,
// with what is known of it.
//
// A difference is found if its 95 % interval excludes 0 and Mann and Whitney's test, corrected over
// all ways by Holm's method, gives it less than 5 %. So of experiments in which recording costs
// nothing one in twenty, at most, finds a difference of wall time in any row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "reports/median_shift.h"
#include "reports/rank_test.h"

namespace kutrace::reports {

constexpr double kOverheadLevel = 0.05;
constexpr double kOverheadPower = 0.8;

// One run of the command.
struct OverheadRun {
  Ns wall = 0;               // from its begin to its end
  Ns cpu = 0;                // of it and what it waited for: user and system
  std::uint64_t events = 0;  // that the recorder got from the machine meanwhile
  std::uint64_t lost = 0;    // that it did not
};
using OverheadRuns = std::vector<OverheadRun>;

// One of the two times, in ns.
struct OverheadMeasure {
  double bare_median = 0;
  double bare_p95 = 0;
  double recorded_median = 0;
  double recorded_p95 = 0;
  MedianShift difference;
  RankTest test;
  double corrected = 1;  // the test's p, over all ways
  // The smallest difference that an experiment like this one finds in four of five cases:
  // (t(1 - level / ways / 2) + t(0.8)) times the standard error of the difference.
  double detectable = 0;
  bool found = false;
  std::optional<double> per_event;  // of the difference; where there are events

  // In percent of the bare median; infinite if that is 0.
  double percent(double ns) const;
  double growth() const { return percent(difference.shift); }
  // Whether a growth of so much may pass as noise.
  bool may_hide(double growth) const { return !found && !(percent(detectable) <= growth); }
};

struct OverheadRow {
  std::size_t runs = 0;
  double events = 0;  // per run, the median
  std::uint64_t lost = 0;
  OverheadMeasure wall;
  OverheadMeasure cpu;
};

// A row for each of `ways`, in their order; no runs may be missing.
std::vector<OverheadRow> overhead(const OverheadRuns& bare, const std::vector<OverheadRuns>& ways);

// Whether so many runs on either side can find anything at all.
bool can_find_overhead(std::size_t runs, std::size_t ways);

}  // namespace kutrace::reports
