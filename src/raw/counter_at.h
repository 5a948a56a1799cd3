// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds back to ticks of a clock. In: a clock and a time in ns; out: the first counter that
// the clock puts at that time or later; the clock's start for times before it. And the clock's rate
// as its trace tells it.
#pragma once

#include <optional>

#include "base/units.h"
#include "format/facts.h"
#include "format/tick_rate.h"
#include "format/trace_clock.h"

namespace kutrace::raw {

Ticks counter_at(const TraceClock& clock, Ns time);

// None: the facts tell no rate, or one that was not believed.
std::optional<TickRate> told_rate(const Facts& facts, const TraceClock& clock);

}  // namespace kutrace::raw
