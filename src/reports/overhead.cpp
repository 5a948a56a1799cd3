// SPDX-License-Identifier: BSD-3-Clause
// Comparing runs.
#include "reports/overhead.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/quantile.h"
#include "reports/significance.h"

namespace kutrace::reports {

namespace {

template <typename Number>
std::vector<double> sorted(const OverheadRuns& runs, Number OverheadRun::* member) {
  std::vector<double> all;
  for (const OverheadRun& run : runs) all.push_back(static_cast<double>(run.*member));
  std::ranges::sort(all);
  return all;
}

double detectable(double standard_error, std::size_t runs, std::size_t ways) {
  const auto freedom = static_cast<double>(runs) - 2;
  if (freedom < 1) return std::numeric_limits<double>::infinity();
  const double level = kOverheadLevel / static_cast<double>(ways);
  return (critical(level, freedom) + critical(2 * (1 - kOverheadPower), freedom)) * standard_error;
}

OverheadMeasure measure(const OverheadRuns& bare, const OverheadRuns& way, std::size_t ways,
                        double events, Ns OverheadRun::* member) {
  const std::vector<double> before = sorted(bare, member);
  const std::vector<double> after = sorted(way, member);
  OverheadMeasure result;
  result.bare_median = quantile(before, 0.5);
  result.bare_p95 = quantile(before, 0.95);
  result.recorded_median = quantile(after, 0.5);
  result.recorded_p95 = quantile(after, 0.95);
  result.difference = median_shift(before, after);
  result.test = rank_test(before, after);
  result.detectable =
      detectable(result.difference.standard_error, before.size() + after.size(), ways);
  if (events > 0) result.per_event = result.difference.shift / events;
  return result;
}

// Holm's method over one measure of all rows, and the verdicts.
void judge(std::vector<OverheadRow>& rows, OverheadMeasure OverheadRow::* member) {
  std::vector<double> probabilities;
  for (const OverheadRow& row : rows) probabilities.push_back((row.*member).test.p);
  const std::vector<double> corrected = holm_corrected(probabilities);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    OverheadMeasure& one = rows[i].*member;
    one.corrected = corrected[i];
    one.found = one.corrected < kOverheadLevel && one.difference.excludes_zero();
  }
}

}  // namespace

double OverheadMeasure::percent(double ns) const {
  if (ns == 0) return 0;
  return bare_median == 0 ? std::copysign(std::numeric_limits<double>::infinity(), ns)
                          : 100 * ns / bare_median;
}

std::vector<OverheadRow> overhead(const OverheadRuns& bare, const std::vector<OverheadRuns>& ways) {
  std::vector<OverheadRow> rows;
  for (const OverheadRuns& way : ways) {
    OverheadRow& row = rows.emplace_back();
    row.runs = way.size();
    row.events = quantile(sorted(way, &OverheadRun::events), 0.5);
    for (const OverheadRun& run : way) row.lost += run.lost;
    row.wall = measure(bare, way, ways.size(), row.events, &OverheadRun::wall);
    row.cpu = measure(bare, way, ways.size(), row.events, &OverheadRun::cpu);
  }
  judge(rows, &OverheadRow::wall);
  judge(rows, &OverheadRow::cpu);
  return rows;
}

bool can_find_overhead(std::size_t runs, std::size_t ways) {
  return least_rank_p(runs) * static_cast<double>(ways) < kOverheadLevel;
}

}  // namespace kutrace::reports
