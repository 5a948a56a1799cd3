// SPDX-License-Identifier: BSD-3-Clause
// The event of a block's header.
#include "timeline/block_events.h"

#include <algorithm>

#include "kutrace/abi.h"

namespace kutrace::timeline {

Event block_start(const Block& block, CpuId cpu, const TraceClock& clock) {
  Event event;
  event.time = clock.to_ns(block.base);
  event.cpu = cpu;
  event.entry.time = block.base;
  event.entry.number = kBlockStart;
  event.entry.arg = static_cast<std::uint32_t>(block.pid);
  event.entry.result = static_cast<std::uint16_t>(std::min<std::uint32_t>(block.mhz, 0xffff));
  if (block.header_words >= KUTRACE_HEADER_WORDS) {
    event.entry.payload = block.words + 8 * (std::size_t{block.header_words} - 2);
    event.entry.words = 1 + KUTRACE_COMM_BYTES / 8;
  }
  return event;
}

}  // namespace kutrace::timeline
