// SPDX-License-Identifier: BSD-3-Clause
// Means of runs.
#include "reports/run_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reports/significance.h"

namespace kutrace::reports {

RunGroup run_group(const std::vector<double>& runs) {
  RunGroup group;
  const auto count = static_cast<double>(runs.size());
  group.mean = std::accumulate(runs.begin(), runs.end(), 0.0) / count;
  if (runs.size() < 2) return group;
  for (const double run : runs) group.variance += (run - group.mean) * (run - group.mean);
  group.variance /= count - 1;
  return group;
}

RunTest run_test(const std::vector<double>& before, const std::vector<double>& after,
                 double least_before, double least_after) {
  const RunGroup old_group = run_group(before);
  const RunGroup new_group = run_group(after);
  const auto old_count = static_cast<double>(before.size());
  const auto new_count = static_cast<double>(after.size());
  // One run says nothing of how runs vary: the others do.
  const double old_run = before.size() == 1 ? new_group.variance : old_group.variance;
  const double new_run = after.size() == 1 ? old_group.variance : new_group.variance;
  const double old_mean = std::max(old_run / old_count, least_before);
  const double new_mean = std::max(new_run / new_count, least_after);
  RunTest test;
  const double sum = old_mean + new_mean;
  if (before.size() == 1 || after.size() == 1) {
    test.freedom = old_count + new_count - 2;
  } else if (sum > 0) {
    test.freedom =
        sum * sum / (old_mean * old_mean / (old_count - 1) + new_mean * new_mean / (new_count - 1));
  }
  test.error = std::sqrt(sum);
  const double change = std::abs(new_group.mean - old_group.mean);
  if (sum > 0) {
    test.p = two_sided(change / test.error, test.freedom);
  } else {
    test.p = change > 0 ? 0 : 1;
  }
  return test;
}

}  // namespace kutrace::reports
