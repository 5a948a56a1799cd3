// SPDX-License-Identifier: BSD-3-Clause
// The trace's counter as the BPF programs read it: CLOCK_MONOTONIC in ticks of 16 ns.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace kutrace {

struct ClockReading {
  Ticks counter = 0;
  std::uint64_t usec = 0;  // wall clock, since 1970
};

Ticks now_ticks();

// Both clocks at one moment: the pair whose two counter readings lie closest, out of several.
ClockReading read_clocks();

// Wall clock of a counter, by the constant rate of 62.5 ticks per microsecond.
std::uint64_t usec_at(const ClockReading& reference, Ticks counter);

}  // namespace kutrace
