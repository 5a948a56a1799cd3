// SPDX-License-Identifier: BSD-3-Clause
// Merging and writing of loss records.
#include "record/run/losses.h"

#include <algorithm>

#include "format/event_table.h"
#include "format/lost_entries.h"

namespace kutrace::record {

void Losses::add(CpuId cpu, kutrace_loss_reason reason, Ticks begin, Ticks end,
                 std::uint64_t entries) {
  const auto [at, is_new] = intervals_.try_emplace({cpu, reason}, Interval{begin, end, entries});
  if (is_new) return;
  at->second.begin = std::min(at->second.begin, begin);
  at->second.end = std::max(at->second.end, end);
  at->second.entries = add_lost(at->second.entries, entries);
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
