// SPDX-License-Identifier: BSD-3-Clause
// What intervals passed with, summed by cause: of one with its path, of many against others. In:
// intervals and what happened then; out: causes, most time first, which add up to the intervals.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "reports/critical_path.h"

namespace kutrace::reports {

struct CauseTime {
  Cause cause;
  Ns time = 0;
};

struct Explained {
  Interval interval;
  ThreadRow thread = kNoRow;
  std::vector<CauseTime> causes;  // most time first
  std::vector<PathPiece> path;    // in the order of time
};

Explained explain(const Interval& interval, Happenings& happenings, CriticalPath& path);

// Causes whose threads stand for all threads of their names, on any CPU; `kNoRow` is the thread
// whose interval it is.
struct ComparedCause {
  Cause cause;
  Ns slow = 0;    // of all slow ones together
  Ns others = 0;  // of all others together
};

struct Comparison {
  std::uint64_t slow = 0;  // how many
  std::uint64_t others = 0;
  Ns slow_time = 0;
  Ns others_time = 0;
  std::vector<ThreadRow> threads;     // of the slow ones
  std::vector<ComparedCause> causes;  // by how much more the slow ones have of it, a piece

  // Nanoseconds that a slow one has more of it than one of the others.
  double more(const ComparedCause& cause) const;
};

Comparison compare(const std::vector<Interval>& slow, const std::vector<Interval>& others,
                   Happenings& happenings, CriticalPath& path);

}  // namespace kutrace::reports
