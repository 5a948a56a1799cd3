// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a CPU in order: one that waits for something to be stored is handed over later than
// those behind it. In: blocks as they come; out: the longest row of them without a gap.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "record/blocks/finished_block.h"

namespace kutrace::serve {

class BlockQueue {
 public:
  void add(const record::FinishedBlock& block) {
    waiting_[block.cpu].emplace(block.sequence(), block);
  }

  // Those whose turn it is.
  std::vector<record::FinishedBlock> take() {
    std::vector<record::FinishedBlock> blocks;
    for (auto& [cpu, row] : waiting_) {
      std::optional<std::uint64_t>& last = last_[cpu];
      while (!row.empty() && row.begin()->first == (last ? *last + 1 : 0)) {
        last = row.begin()->first;
        blocks.push_back(row.begin()->second);
        row.erase(row.begin());
      }
    }
    return blocks;
  }

  // What waits of this CPU, and whether a block comes behind all that was seen.
  std::vector<record::FinishedBlock> waiting() const {
    std::vector<record::FinishedBlock> blocks;
    for (const auto& [cpu, row] : waiting_)
      for (const auto& [sequence, block] : row) blocks.push_back(block);
    return blocks;
  }
  bool is_newest(const record::FinishedBlock& block) const {
    const auto row = waiting_.find(block.cpu);
    if (row != waiting_.end() && row->second.contains(block.sequence())) return false;
    const auto last = last_.find(block.cpu);
    return last == last_.end() || !last->second || block.sequence() > *last->second;
  }

 private:
  std::map<CpuId, std::map<std::uint64_t, record::FinishedBlock>> waiting_;
  std::map<CpuId, std::optional<std::uint64_t>> last_;
};

}  // namespace kutrace::serve
