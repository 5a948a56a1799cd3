// SPDX-License-Identifier: BSD-3-Clause
// Medians of packets that were seen one after the other.
#include "align/capture_clock.h"

#include <algorithm>
#include <iterator>

namespace kutrace::align {

namespace {

constexpr std::size_t kTogether = 32;  // packets whose median is taken
constexpr Ns kSecond = 1'000'000'000;

Ns median_of(std::vector<Ns>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

CaptureClock::CaptureClock(const std::vector<SeenTwice>& packets) {
  for (std::size_t first = 0; first < packets.size(); first += kTogether) {
    // What is left over at the end goes with those before.
    const bool is_last = packets.size() - first < 2 * kTogether;
    const std::size_t end = is_last ? packets.size() : first + kTogether;
    std::vector<Ns> values;
    for (std::size_t i = first; i < end; ++i) values.push_back(packets[i].difference);
    steps_.push_back({packets[(first + end - 1) / 2].wall, median_of(values)});
    if (is_last) break;
  }
}

Ns CaptureClock::ahead(Ns wall) const {
  if (steps_.empty()) return 0;
  const auto next = std::ranges::upper_bound(steps_, wall, {}, &Step::wall);
  if (next == steps_.begin()) return steps_.front().value;
  if (next == steps_.end()) return steps_.back().value;
  const Step& before = *std::prev(next);
  const double share =
      static_cast<double>(wall - before.wall) / static_cast<double>(next->wall - before.wall);
  return before.value + static_cast<Ns>(share * static_cast<double>(next->value - before.value));
}

std::optional<double> CaptureClock::drift() const {
  if (steps_.empty()) return std::nullopt;
  const Ns span = steps_.back().wall - steps_.front().wall;
  if (span <= kSecond) return std::nullopt;
  return static_cast<double>(steps_.back().value - steps_.front().value) /
         (static_cast<double>(span) / kSecond);
}

}  // namespace kutrace::align
