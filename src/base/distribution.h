// SPDX-License-Identifier: BSD-3-Clause
// Distributions as DTrace draws them. In: counts by lower bound; out: lines of text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kutrace {

// The lower bound of the power of two that a value falls into, as DTrace has them: 0 for 0, 4 for 4
// to 7, -4 for -7 to -4.
std::int64_t power_of(std::int64_t value);

// DTrace's picture of counts by lower bound: every bound from the first to the last, one before
// and one after them.
std::string quantize_text(const std::map<std::int64_t, std::uint64_t>& counts);

struct LinearBounds {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t step = 1;
};
// Nothing unless least < most and there are at most kMostLinearSteps steps. The last one ends at
// `most`, which is moved up to the end of a whole step.
constexpr std::int64_t kMostLinearSteps = 1000;
std::optional<LinearBounds> linear_bounds(std::int64_t least, std::int64_t most, std::int64_t step);

// The same with equal steps; what lies below `least` counts under least - step, the rest under
// most.
std::string lquantize_text(const std::map<std::int64_t, std::uint64_t>& counts,
                           const LinearBounds& bounds);

}  // namespace kutrace
