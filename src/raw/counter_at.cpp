// SPDX-License-Identifier: BSD-3-Clause
// A division is off by a tick now and then.
#include "raw/counter_at.h"

#include <algorithm>
#include <cmath>

namespace kutrace::raw {

Ticks counter_at(const TraceClock& clock, Ns time) {
  time = std::clamp<Ns>(time, 0, TraceClock::kFarthest);
  auto counter = clock.start() +
                 static_cast<Ticks>(std::llround(static_cast<double>(time) / clock.ns_per_tick()));
  while (counter > clock.start() && clock.to_ns(counter - 1) >= time) --counter;
  while (clock.to_ns(counter) < time) ++counter;
  return counter;
}

std::optional<TickRate> told_rate(const Facts& facts, const TraceClock& clock) {
  const auto told = facts.get(fact::kTickNs);
  return told && told->ns(1) == clock.ns_per_tick() ? told : std::nullopt;
}

}  // namespace kutrace::raw
