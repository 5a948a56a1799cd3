// SPDX-License-Identifier: BSD-3-Clause
// Looks at switches.
#include "record/blocks/shown_threads.h"

#include "format/event_table.h"
#include "record/blocks/block_walk.h"

namespace kutrace::record {

std::vector<std::uint32_t> ShownThreads::add(const FinishedBlock& block) {
  std::vector<std::uint32_t> added;
  for_each_entry(block, [&](std::uint32_t at) {
    const std::uint64_t word = block.words[at];
    if (entry_event(word) != ev::kUSERPID || (word & KUTRACE_SWITCH_HIDDEN) != 0) return;
    const std::uint32_t thread = entry_arg(word) & KUTRACE_SWITCH_PID_MASK;
    if (thread != 0 && threads_.insert(thread).second) added.push_back(thread);
  });
  return added;
}

}  // namespace kutrace::record
