// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of a few numbers that are all at hand, between two of them by a straight line.
#pragma once

#include <vector>

namespace kutrace::reports {

// `sorted` has its least number first, and at least one; `share` is 0..1.
double quantile(const std::vector<double>& sorted, double share);

}  // namespace kutrace::reports
