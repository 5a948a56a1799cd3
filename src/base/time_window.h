// SPDX-License-Identifier: BSD-3-Clause
// Intervals of a trace that somebody asks for. In: any list of them; out: a sorted list without
// overlaps, called tidy. Times are ns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/units.h"

namespace kutrace {

// Later than any recording ends.
constexpr Ns kForever = Ns{1} << 62;

struct TimeWindow {
  Ns begin = 0;
  Ns end = 0;

  bool operator==(const TimeWindow&) const = default;
};

// Sorted, joined where they touch, cut to [begin, end); empty ones are dropped.
std::vector<TimeWindow> tidy_windows(std::vector<TimeWindow> windows, Ns begin, Ns end);

// The first of the tidy windows that ends after `time`; windows.size() if none does.
std::size_t first_window_after(const std::vector<TimeWindow>& windows, Ns time);

// Whether a moment lies in one of the tidy windows; no window is all time.
bool lies_in(const std::vector<TimeWindow>& windows, Ns time);
// Whether a part of that lies in one of the tidy windows.
bool overlaps(const std::vector<TimeWindow>& windows, Ns begin, Ns end);
// The same, or it touches one.
bool touches(const std::vector<TimeWindow>& windows, Ns begin, Ns end);

// `add(from, to)` for each part of [begin, end) that lies in one of the tidy windows.
template <typename Add>
void each_part(const std::vector<TimeWindow>& windows, Ns begin, Ns end, const Add& add) {
  for (std::size_t i = first_window_after(windows, begin);
       i < windows.size() && windows[i].begin < end; ++i) {
    add(std::max(begin, windows[i].begin), std::min(end, windows[i].end));
  }
}

// The length of all tidy windows together.
Ns length_of(const std::vector<TimeWindow>& windows);

}  // namespace kutrace
