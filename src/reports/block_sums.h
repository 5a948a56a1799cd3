// SPDX-License-Identifier: BSD-3-Clause
// How time and counts are spread over blocks of a recording. In: what was in which block; out: one
// number for each block. Memory grows with the blocks in which there was anything.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "reports/time_blocks.h"

namespace kutrace::reports {

using BlockSeries = std::array<double, TimeBlocks::kCount>;

class BlockSums {
 public:
  void add_time(std::size_t block, Ns time) { at(block).time += static_cast<double>(time); }
  void add_count(std::size_t block) { ++at(block).count; }
  // Something that was there for so long.
  void add(std::size_t block, Ns time) {
    Entry& entry = at(block);
    entry.time += static_cast<double>(time);
    ++entry.count;
  }
  void merge(const BlockSums& other);

  BlockSeries times() const;
  BlockSeries counts() const;
  // In how many there was anything.
  std::size_t used() const { return entries_.size(); }

 private:
  struct Entry {
    double time = 0;
    std::uint64_t count = 0;
    std::size_t block = 0;
  };

  Entry& at(std::size_t block) {
    // Most of what comes is of the block that came last.
    if (recent_ < entries_.size() && entries_[recent_].block == block) return entries_[recent_];
    return find(block);
  }
  Entry& find(std::size_t block);

  std::vector<Entry> entries_;  // by block
  std::size_t recent_ = 0;
};

}  // namespace kutrace::reports
