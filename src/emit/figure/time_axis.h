// SPDX-License-Identifier: BSD-3-Clause
// Ticks of a time axis and times as text, as the page shows them (web/src/layout/time_text.js).
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace kutrace::emit {

struct TimeAxis {
  struct Tick {
    double time = 0;  // ns
    std::string label;
  };
  std::vector<Tick> ticks;
  Ns base = 0;  // what the labels count from
};

// About `count` ticks at steps of 1, 2 or 5 times a power of ten.
TimeAxis time_axis(Ns begin, Ns end, double count);

// "12.4 µs"
std::string duration_text(Ns duration);
// Seconds after the start, to the ns: "1.234 567 890 s".
std::string exact_time(Ns time);
// "2026-11-21 14:54:59 UTC"
std::string wall_text(std::uint64_t wall_usec);

}  // namespace kutrace::emit
