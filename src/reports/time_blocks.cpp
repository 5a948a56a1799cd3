// SPDX-License-Identifier: BSD-3-Clause
// Windows put one behind the other, and divided.
#include "reports/time_blocks.h"

#include <utility>

namespace kutrace::reports {

TimeBlocks::TimeBlocks(std::vector<TimeWindow> windows) {
  if (windows.empty()) return;
  windows_ = std::move(windows);
  places_ = {0};
  for (const TimeWindow& window : windows_) {
    places_.push_back(places_.back() + (window.end - window.begin));
  }
  length_ = std::max<Ns>(1, places_.back() / static_cast<Ns>(kCount));
}

// Where the moment lies in no window, nothing is found there afterwards either.
void TimeBlocks::look_up(Ns start) {
  const std::size_t number = window_of(start);
  const TimeWindow& window = windows_[number];
  const std::size_t block = block_at(place_in(number, start));
  const bool is_last = block == block_at(places_[number + 1] - 1);
  const Ns before = window.begin - places_[number];  // from places to times
  const Ns end = before + static_cast<Ns>(block + 1) * length_;
  recent_.begin = std::max(window.begin, before + static_cast<Ns>(block) * length_);
  recent_.until = is_last ? window.end : end;
  recent_.end = is_last ? kForever : end;
  recent_.block = block;
}

}  // namespace kutrace::reports
