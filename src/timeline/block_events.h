// SPDX-License-Identifier: BSD-3-Clause
// What a block says, as events. In: its header and decoded entries, and the clock of the trace;
// out: an event that says that the block begins, and one event for each entry, with times in ns.
#pragma once

#include "format/raw_file.h"
#include "format/trace_clock.h"
#include "timeline/event.h"

namespace kutrace::timeline {

// An event kBlockStart made of the block's header (event.h says where its parts stand).
Event block_start(const Block& block, CpuId cpu, const TraceClock& clock);

// Sets the CPU, the time and, for a folded call, the duration of an event whose entry is decoded.
inline void place(Event& event, CpuId cpu, const TraceClock& clock) {
  event.cpu = cpu;
  event.time = clock.to_ns(event.entry.time);
  event.duration = 0;
  if (event.entry.fold_ticks != 0) {
    // The end first: an event at its tick then has its very time.
    event.duration = clock.to_ns(event.entry.time + event.entry.fold_ticks) - event.time;
  }
}

}  // namespace kutrace::timeline
