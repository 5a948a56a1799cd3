// SPDX-License-Identifier: BSD-3-Clause
// Between the numbers to the left and to the right.
#include "reports/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kutrace::reports {

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto left = static_cast<std::size_t>(place);
  const std::size_t right = std::min(left + 1, sorted.size() - 1);
  return std::lerp(sorted[left], sorted[right], place - static_cast<double>(left));
}

}  // namespace kutrace::reports
