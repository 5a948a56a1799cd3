// SPDX-License-Identifier: BSD-3-Clause
// Whether the means of two groups of runs differ by more than runs of a group do. In: a number of
// each run; out: the standard error of the difference, its degrees of freedom, and the probability
// of such a difference by chance. Welch's test; where a group has one run alone, Student's, with
// the other group's variance. Needs two runs in one of the groups.
#pragma once

#include <vector>

namespace kutrace::reports {

struct RunTest {
  double error = 0;
  double freedom = 1;
  double p = 1;
};

// The mean of a group, and the variance of one of its runs around it (0 of one run).
struct RunGroup {
  double mean = 0;
  double variance = 0;
};
RunGroup run_group(const std::vector<double>& runs);

// `least_before`, `least_after`: variances of the means that are known to be there in any case.
RunTest run_test(const std::vector<double>& before, const std::vector<double>& after,
                 double least_before = 0, double least_after = 0);

}  // namespace kutrace::reports
