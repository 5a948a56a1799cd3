// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds back to counter ticks. In: a clock, a time; out: the first counter that the clock
// puts at that time or later; of a time before the clock's start, the start.
#pragma once

#include "base/units.h"
#include "format/trace_clock.h"

namespace kutrace::raw {

Ticks counter_at(const TraceClock& clock, Ns time);

}  // namespace kutrace::raw
