// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds back to ticks of a clock. In: a clock and a time in ns; out: the first counter that
// the clock puts at that time or later; the clock's start for times before it.
#pragma once

#include "base/units.h"
#include "format/trace_clock.h"

namespace kutrace::raw {

Ticks counter_at(const TraceClock& clock, Ns time);

}  // namespace kutrace::raw
