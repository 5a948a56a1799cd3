// SPDX-License-Identifier: BSD-3-Clause
// Reads of the two kernel clocks.
#include "device/clock.h"

#include <ctime>

#include "device/bpf/layout.h"

namespace kutrace {

namespace {

constexpr std::int64_t kNsPerTick = 1 << KUTRACE_TICK_SHIFT;

std::uint64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Ticks now_ticks() { return read_ns(CLOCK_MONOTONIC) >> KUTRACE_TICK_SHIFT; }

ClockReading read_clocks() {
  ClockReading best;
  Ticks best_width = ~Ticks{0};
  for (int i = 0; i < 8; ++i) {
    const Ticks before = now_ticks();
    const std::uint64_t wall = read_ns(CLOCK_REALTIME);
    const Ticks after = now_ticks();
    if (after - before >= best_width) continue;
    best_width = after - before;
    best = {before, wall / 1000};
  }
  return best;
}

std::uint64_t usec_at(const ClockReading& reference, Ticks counter) {
  const auto ticks = static_cast<std::int64_t>(counter - reference.counter);
  return reference.usec + static_cast<std::uint64_t>(ticks * kNsPerTick / 1000);
}

}  // namespace kutrace
