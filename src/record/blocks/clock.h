// SPDX-License-Identifier: BSD-3-Clause
// Counters of traces and what they are in nanoseconds and wall-clock time.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "format/raw_file.h"
#include "format/tick_rate.h"

namespace kutrace::record {

struct ClockReading {
  Ticks counter = 0;
  std::uint64_t usec = 0;          // wall clock, since 1970
  std::uint64_t monotonic_ns = 0;  // CLOCK_MONOTONIC

  TimePair pair() const { return {counter, usec}; }
};

// CLOCK_MONOTONIC in ticks of 16 ns, as the BPF programs read it: the machine's, in a time
// namespace, too.
Ticks monotonic_ticks();
constexpr unsigned kMonotonicShift = 4;
constexpr TickRate kMonotonicRate{1u << kMonotonicShift, 1};

// Both clocks at one moment: the pair whose two counter readings lie closest, out of several.
ClockReading read_monotonic_clocks();

// The other clocks at this counter, by the rate.
ClockReading reading_at(const ClockReading& reference, Ticks counter, const TickRate& rate);

}  // namespace kutrace::record
