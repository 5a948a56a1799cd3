// SPDX-License-Identifier: BSD-3-Clause
// Choosing.
#include "reports/slowest.h"

#include <algorithm>
#include <cmath>

namespace kutrace::reports {

void Slowest::add(const Interval& interval) {
  ++count_;
  slow_.push_back(interval);
  if (most_ == 0) return;
  std::ranges::push_heap(slow_, is_slower);
  if (slow_.size() <= most_) return;
  std::ranges::pop_heap(slow_, is_slower);
  add_other(slow_.back());
  slow_.pop_back();
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
  std::ranges::sort(slow_, is_slower);
  if (most_ == 0 && !slow_.empty()) {
    const double wanted = std::ceil(static_cast<double>(count_) * percent_ / 100);
    const auto slow =
        static_cast<std::ptrdiff_t>(std::clamp(wanted, 1.0, static_cast<double>(slow_.size())));
    for (auto other = slow_.begin() + slow; other != slow_.end(); ++other) add_other(*other);
    slow_.erase(slow_.begin() + slow, slow_.end());
  }
  if (others_.size() <= kMostOthers) return;
  const std::size_t step = others_.size() / kMostOthers + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < others_.size(); i += step) others_[kept++] = others_[i];
  others_.resize(kept);
}

}  // namespace kutrace::reports
