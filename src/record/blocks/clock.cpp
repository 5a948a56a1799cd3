// SPDX-License-Identifier: BSD-3-Clause
// Reads of the two kernel clocks, and arithmetic with rates.
#include "record/blocks/clock.h"

#include <cmath>
#include <ctime>

namespace kutrace::record {

namespace {

std::uint64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Ticks monotonic_ticks() { return read_ns(CLOCK_MONOTONIC) >> kMonotonicShift; }

ClockReading read_monotonic_clocks() {
  ClockReading best;
  Ticks best_width = ~Ticks{0};
  for (int i = 0; i < 8; ++i) {
    const Ticks before = monotonic_ticks();
    const std::uint64_t wall = read_ns(CLOCK_REALTIME);
    const Ticks after = monotonic_ticks();
    if (after - before >= best_width) continue;
    best_width = after - before;
    best = {before, wall / 1000, before << kMonotonicShift};
  }
  return best;
}

ClockReading reading_at(const ClockReading& reference, Ticks counter, const TickRate& rate) {
  const bool later = counter >= reference.counter;
  const auto length = static_cast<std::int64_t>(
      std::llround(rate.ns(later ? counter - reference.counter : reference.counter - counter)));
  const std::int64_t ns = later ? length : -length;
  return {counter, reference.usec + static_cast<std::uint64_t>(ns / 1000),
          reference.monotonic_ns + static_cast<std::uint64_t>(ns)};
}

}  // namespace kutrace::record
