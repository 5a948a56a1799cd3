// SPDX-License-Identifier: BSD-3-Clause
// Looking blocks up.
#include "reports/block_sums.h"

#include <algorithm>

namespace kutrace::reports {

BlockSums::Entry& BlockSums::find(std::size_t block) {
  const auto place = std::ranges::lower_bound(entries_, block, {}, &Entry::block);
  recent_ = static_cast<std::size_t>(place - entries_.begin());
  if (place != entries_.end() && place->block == block) return *place;
  return *entries_.insert(place, Entry{0, 0, block});
}

void BlockSums::merge(const BlockSums& other) {
  for (const Entry& more : other.entries_) {
    Entry& entry = at(more.block);
    entry.time += more.time;
    entry.count += more.count;
  }
}

BlockSeries BlockSums::times() const {
  BlockSeries series{};
  for (const Entry& entry : entries_) series[entry.block] = entry.time;
  return series;
}

BlockSeries BlockSums::counts() const {
  BlockSeries series{};
  for (const Entry& entry : entries_) series[entry.block] = static_cast<double>(entry.count);
  return series;
}

}  // namespace kutrace::reports
