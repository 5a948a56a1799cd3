// SPDX-License-Identifier: BSD-3-Clause
// Summing causes.
#include "reports/latency.h"

#include <algorithm>
#include <map>

namespace kutrace::reports {

Explained explain(const Interval& interval, Happenings& happenings, CriticalPath& path) {
  Explained explained{.interval = interval,
                      .thread = happenings.row_of(interval.pid, interval.thread),
                      .causes = {},
                      .path = {}};
  std::map<Cause, Ns> sums;
  path.walk(interval, [&](const PathPiece& piece) {
    sums[piece.cause] += piece.duration();
    explained.path.push_back(piece);
  });
  std::ranges::reverse(explained.path);
  for (const auto& [cause, time] : sums) explained.causes.push_back({cause, time});
  std::ranges::stable_sort(explained.causes, std::ranges::greater{}, &CauseTime::time);
  return explained;
}

}  // namespace kutrace::reports
