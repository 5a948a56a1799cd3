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

}  // namespace kutrace::reports
