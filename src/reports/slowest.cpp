// SPDX-License-Identifier: BSD-3-Clause
// Choosing.
#include "reports/slowest.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace kutrace::reports {

namespace {

// So many at most, the middles of as many parts of one length.
std::vector<Interval> spread(std::span<const Interval> from, std::size_t most) {
  const std::size_t number = std::min(most, from.size());
  std::vector<Interval> chosen;
  for (std::size_t i = 0; i < number; ++i)
    chosen.push_back(from[(2 * i + 1) * from.size() / (2 * number)]);
  return chosen;
}

}  // namespace

void Slowest::add(const Interval& interval) {
  ++count_;
  if (shortest_ && !is_slower(interval, *shortest_)) return add_other(interval);
  slow_.push_back(interval);
  if (slow_.size() < 2 * kMostSlow) return;
  cut(kMostSlow);
  shortest_ = *std::ranges::max_element(slow_, is_slower);
}

// Leaves so many of the slowest; the rest are others.
void Slowest::cut(std::size_t most) {
  if (slow_.size() <= most) return;
  const auto rest = slow_.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::nth_element(slow_, rest, is_slower);
  for (auto other = rest; other != slow_.end(); ++other) add_other(*other);
  slow_.erase(rest, slow_.end());
}

// Every so many-th, and half as many whenever there are twice too many.
void Slowest::add_other(const Interval& interval) {
  if (others_seen_++ % stride_ != 0) return;
  others_.push_back(interval);
  if (others_.size() < 2 * kMostOthers) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < others_.size(); i += 2) others_[kept++] = others_[i];
  others_.resize(kept);
  stride_ *= 2;
}

void Slowest::finish() {
  if (percent_ > 0) {
    const double part = std::ceil(static_cast<double>(count_) * percent_ / 100);
    wanted_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(part), 1, count_ + 1);
  }
  const auto most = std::min<std::size_t>({wanted_, kMostSlow, slow_.size()});
  if (shortest_) cut(most);
  std::ranges::sort(slow_, is_slower);
  others_ = spread(shortest_ ? std::span(others_) : std::span(slow_).subspan(most), kMostOthers);
  slow_.resize(most);
}

}  // namespace kutrace::reports
