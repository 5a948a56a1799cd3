// SPDX-License-Identifier: BSD-3-Clause
// What an interval passed with, summed by cause, with its path. In: the interval and what happened
// then; out: causes, most time first, which add up to it.
#pragma once

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

}  // namespace kutrace::reports
