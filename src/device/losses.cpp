// SPDX-License-Identifier: BSD-3-Clause
// Merging and writing of loss records.
#include "device/losses.h"

#include <algorithm>

#include "format/event_table.h"

namespace kutrace {

void Losses::add(CpuId cpu, kutrace_loss_reason reason, Ticks begin, Ticks end,
                 std::uint64_t entries) {
  const auto [at, is_new] = intervals_.try_emplace({cpu, reason}, Interval{begin, end, entries});
  if (is_new) return;
  at->second.begin = std::min(at->second.begin, begin);
  at->second.end = std::max(at->second.end, end);
  at->second.entries += entries;
}

void Losses::append_to(NameBlocks& names) const {
  for (const auto& [key, interval] : intervals_) {
    const auto reason = static_cast<std::uint32_t>(key.second);
    names.add_words(kind::kLOSS, reason << KUTRACE_LOSS_REASON_SHIFT | key.first,
                    {interval.begin, interval.end, interval.entries});
  }
}

std::uint64_t Losses::entries() const {
  std::uint64_t sum = 0;
  for (const auto& [key, interval] : intervals_) sum += interval.entries;
  return sum;
}

}  // namespace kutrace
