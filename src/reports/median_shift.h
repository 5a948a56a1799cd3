// SPDX-License-Identifier: BSD-3-Clause
// By how much the median of one sample differs from that of another, and how well that is known.
// In: two samples of independent numbers; out: the difference, an interval and a standard error,
// from resamples of either side (percentile bootstrap). The draws are always the same.
#pragma once

#include <cstddef>
#include <vector>

namespace kutrace::reports {

struct MedianShift {
  static constexpr std::size_t kResamples = 10'000;

  double shift = 0;           // the second median less the first, in the samples' unit
  double low = 0;             // of the 95 % interval
  double high = 0;            //
  double standard_error = 0;  // how much the shifts of resamples vary

  bool excludes_zero() const { return low > 0 || high < 0; }
};

// Both samples have at least one number.
MedianShift median_shift(std::vector<double> before, std::vector<double> after);

}  // namespace kutrace::reports
