// SPDX-License-Identifier: BSD-3-Clause
// Sorting and joining windows.
#include "base/time_window.h"

#include <algorithm>

namespace kutrace {

std::vector<TimeWindow> tidy_windows(std::vector<TimeWindow> windows, Ns begin, Ns end) {
  std::sort(windows.begin(), windows.end(),
            [](const TimeWindow& a, const TimeWindow& b) { return a.begin < b.begin; });
  std::vector<TimeWindow> tidy;
  for (TimeWindow window : windows) {
    window.begin = std::max(window.begin, begin);
    window.end = std::min(window.end, end);
    if (window.begin >= window.end) continue;
    if (!tidy.empty() && window.begin <= tidy.back().end) {
      tidy.back().end = std::max(tidy.back().end, window.end);
    } else {
      tidy.push_back(window);
    }
  }
  return tidy;
}

Ns length_of(const std::vector<TimeWindow>& windows) {
  Ns length = 0;
  for (const TimeWindow& window : windows) length += window.end - window.begin;
  return length;
}

std::size_t first_window_after(const std::vector<TimeWindow>& windows, Ns time) {
  const auto found = std::upper_bound(windows.begin(), windows.end(), time,
                                      [](Ns t, const TimeWindow& w) { return t < w.end; });
  return static_cast<std::size_t>(found - windows.begin());
}

bool lies_in(const std::vector<TimeWindow>& windows, Ns time) {
  return windows.empty() || overlaps(windows, time, time + 1);
}

bool overlaps(const std::vector<TimeWindow>& windows, Ns begin, Ns end) {
  const std::size_t first = first_window_after(windows, begin);
  return first < windows.size() && windows[first].begin < end;
}

bool touches(const std::vector<TimeWindow>& windows, Ns begin, Ns end) {
  return overlaps(windows, begin - 1, end + 1);
}

}  // namespace kutrace
