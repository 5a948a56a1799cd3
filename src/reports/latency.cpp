// SPDX-License-Identifier: BSD-3-Clause
// Summing causes.
#include "reports/latency.h"

#include <algorithm>

#include "base/add_time.h"
#include "reports/name_rows.h"

namespace kutrace::reports {

namespace {

double a_piece(Ns time, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(time) / static_cast<double>(count);
}

}  // namespace

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

double Comparison::more(const ComparedCause& cause) const {
  return a_piece(cause.slow, slow) - a_piece(cause.others, others);
}

Comparison compare(const std::vector<Interval>& slow, const std::vector<Interval>& others,
                   Happenings& happenings, CriticalPath& path) {
  Comparison comparison{.slow = slow.size(), .others = others.size(), .threads = {}, .causes = {}};
  for (const Interval& interval : slow) {
    comparison.threads.push_back(happenings.row_of(interval.pid, interval.thread));
  }
  NameRows rows(happenings);
  std::map<Cause, ComparedCause> sums;
  const auto add = [&](const std::vector<Interval>& intervals, Ns ComparedCause::* part, Ns& time) {
    for (const Interval& interval : intervals) {
      add_time(time, interval.duration());
      const ThreadRow own = happenings.row_of(interval.pid, interval.thread);
      path.walk(interval, [&](const PathPiece& piece) {
        const Cause cause = rows.general(piece.cause, own);
        ComparedCause& sum = sums[cause];
        sum.cause = cause;
        add_time(sum.*part, piece.duration());
      });
    }
  };
  add(slow, &ComparedCause::slow, comparison.slow_time);
  add(others, &ComparedCause::others, comparison.others_time);
  for (const auto& [key, sum] : sums) comparison.causes.push_back(sum);
  std::ranges::stable_sort(comparison.causes, [&](const ComparedCause& a, const ComparedCause& b) {
    return comparison.more(a) > comparison.more(b);
  });
  return comparison;
}

}  // namespace kutrace::reports
