// SPDX-License-Identifier: BSD-3-Clause
// Merging and writing of loss records.
#include "record/run/losses.h"

#include <algorithm>

#include "format/event_table.h"

namespace kutrace::record {

void Losses::add(CpuId cpu, kutrace_loss_reason reason, Ticks begin, Ticks end,
                 std::uint64_t entries) {
  const auto [at, is_new] = intervals_.try_emplace({cpu, reason}, Interval{begin, end, entries});
  if (is_new) return;
  at->second.begin = std::min(at->second.begin, begin);
  at->second.end = std::max(at->second.end, end);
  const bool is_known =
      entries != KUTRACE_LOSS_UNKNOWN_COUNT && at->second.entries != KUTRACE_LOSS_UNKNOWN_COUNT;
  at->second.entries = is_known ? at->second.entries + entries : KUTRACE_LOSS_UNKNOWN_COUNT;
}

void Losses::append_to(NameEntries& names) const {
  for (const auto& [key, interval] : intervals_) {
    const auto& [cpu, reason] = key;
    names.add(loss_entry({cpu, reason, interval.begin, interval.end, interval.entries}));
  }
}

void Losses::add_to(Tally& tally) const {
  for (const auto& [key, interval] : intervals_) tally.add_loss(interval.entries);
}

}  // namespace kutrace::record
