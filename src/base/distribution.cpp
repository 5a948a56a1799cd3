// SPDX-License-Identifier: BSD-3-Clause
// Bounds and bars.
#include "base/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace kutrace {

namespace {

constexpr std::uint64_t kBarWidth = 40;
constexpr std::int64_t kFarthest = std::int64_t{1} << 60;  // bounds of equal steps
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

using Counts = std::map<std::int64_t, std::uint64_t>;

std::uint64_t sum_of(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [bound, count] : counts) sum += count;
  return sum;
}

std::uint64_t count_at(const Counts& counts, std::int64_t bound) {
  const auto found = counts.find(bound);
  return found == counts.end() ? 0 : found->second;
}

void add_line(std::string& text, const std::string& bound, std::uint64_t count, std::uint64_t all) {
  const auto share = static_cast<double>(count) / static_cast<double>(all);
  const auto bar = static_cast<std::size_t>(std::lround(share * static_cast<double>(kBarWidth)));
  text += fmt::format("\n{:>16} |{:<{}} {}", bound, std::string(bar, '@'), kBarWidth, count);
}

std::string heading() {
  return fmt::format("{:>16}  {} count", "value", "------------- Distribution -------------");
}

// The next power of two above, 2^62's next is the greatest number there is.
std::int64_t above(std::int64_t bound) {
  if (bound == 0) return 1;
  if (bound == -1) return 0;
  if (bound < 0) return bound / 2;
  constexpr std::int64_t kTop = std::int64_t{1} << 62;
  return bound >= kTop ? std::numeric_limits<std::int64_t>::max() : bound * 2;
}

std::int64_t below(std::int64_t bound) {
  if (bound == 0) return -1;
  if (bound == 1) return 0;
  if (bound > 0)
    return bound == std::numeric_limits<std::int64_t>::max() ? bound / 2 + 1 : bound / 2;
  return bound < kLeast / 2 ? kLeast : bound * 2;
}

}  // namespace

std::int64_t power_of(std::int64_t value) {
  if (value == kLeast) return kLeast;
  const auto size = static_cast<std::uint64_t>(value < 0 ? -value : value);
  const auto floor = static_cast<std::int64_t>(std::bit_floor(size));
  return value < 0 ? -floor : floor;
}

std::string quantize_text(const Counts& counts) {
  if (counts.empty()) return {};
  const std::uint64_t all = sum_of(counts);
  std::string text = heading();
  const std::int64_t last = above(counts.rbegin()->first);
  std::int64_t bound = below(counts.begin()->first);
  while (true) {
    add_line(text, std::to_string(bound), count_at(counts, bound), all);
    if (bound >= last) return text;
    bound = above(bound);
  }
}

std::optional<LinearBounds> linear_bounds(std::int64_t least, std::int64_t most,
                                          std::int64_t step) {
  if (least < -kFarthest || most > kFarthest || most <= least || step <= 0 ||
      (most - least) / step > kMostLinearSteps)
    return std::nullopt;
  const std::int64_t steps = (most - least + step - 1) / step;
  return LinearBounds{least, least + steps * step, step};
}

std::string lquantize_text(const Counts& counts, const LinearBounds& bounds) {
  if (counts.empty()) return {};
  const std::uint64_t all = sum_of(counts);
  const std::int64_t under = bounds.least - bounds.step;
  std::string text = heading();
  const std::int64_t first = std::max(under, counts.begin()->first - bounds.step);
  const std::int64_t last = std::min(bounds.most, counts.rbegin()->first + bounds.step);
  for (std::int64_t bound = first; bound <= last; bound += bounds.step) {
    const std::string name = bound == under         ? fmt::format("< {}", bounds.least)
                             : bound >= bounds.most ? fmt::format(">= {}", bounds.most)
                                                    : std::to_string(bound);
    add_line(text, name, count_at(counts, bound), all);
  }
  return text;
}

}  // namespace kutrace
