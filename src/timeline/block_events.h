// SPDX-License-Identifier: BSD-3-Clause
// What a block says as events: that it begins, and each of its entries on the clock of the trace.
#pragma once

#include "format/raw_file.h"
#include "format/trace_clock.h"
#include "timeline/event.h"

namespace kutrace::timeline {

// By its header.
Event block_start(const Block& block, CpuId cpu, const TraceClock& clock);

// Gives an event, whose entry is there, its place.
inline void place(Event& event, CpuId cpu, const TraceClock& clock) {
  event.cpu = cpu;
  event.time = clock.to_ns(event.entry.time);
  if (event.entry.fold_ticks != 0) {
    // The end first: an event at its tick then has its very time.
    event.duration = clock.to_ns(event.entry.time + event.entry.fold_ticks) - event.time;
  }
}

}  // namespace kutrace::timeline
