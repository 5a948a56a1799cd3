// SPDX-License-Identifier: BSD-3-Clause
// Looks at switches.
#include "record/blocks/shown_threads.h"

#include "format/event_table.h"
#include "record/blocks/block_walk.h"

namespace kutrace::record {

void ShownThreads::add(const FinishedBlock& block) {
  for_each_entry(block, [&](std::uint32_t at) {
    const std::uint64_t word = block.words[at];
    if (entry_event(word) != ev::kUSERPID || (word & KUTRACE_SWITCH_HIDDEN) != 0) return;
    const std::uint32_t thread = entry_arg(word) & KUTRACE_SWITCH_PID_MASK;
    if (thread != 0) threads_.insert(thread);
  });
}

}  // namespace kutrace::record
