// SPDX-License-Identifier: BSD-3-Clause
// Choosing.
#include "reports/slowest.h"

#include <algorithm>
#include <cmath>

namespace kutrace::reports {

void Slowest::add(const Interval& interval) {
  ++count_;
  if (most_ == 0) return add_to_share(interval);
  slow_.push_back(interval);
  std::ranges::push_heap(slow_, is_slower);
  if (slow_.size() <= most_) return;
  std::ranges::pop_heap(slow_, is_slower);
  add_other(slow_.back());
  slow_.pop_back();
}

void Slowest::add_to_share(const Interval& interval) {
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
  std::size_t most = most_;
  if (most_ == 0) {
    const double part = std::ceil(static_cast<double>(count_) * percent_ / 100);
    wanted_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(part), 1, count_ + 1);
    most = static_cast<std::size_t>(std::min<std::uint64_t>(wanted_, kMostSlow));
  }
  if (shortest_) cut(most);
  // Where they were few enough to be kept, others are spread over how long they lasted.
  std::ranges::sort(slow_, is_slower);
  for (std::size_t i = most; i < slow_.size(); ++i) add_other(slow_[i]);
  slow_.resize(std::min(most, slow_.size()));
  if (others_.size() <= kMostOthers) return;
  const std::size_t step = others_.size() / kMostOthers + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < others_.size(); i += step) others_[kept++] = others_[i];
  others_.resize(kept);
}

}  // namespace kutrace::reports
