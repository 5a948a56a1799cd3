// SPDX-License-Identifier: BSD-3-Clause
// A reader's blocks in memory of this process. In: pieces; out: whole blocks, and those that grow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "record/blocks/finished_block.h"
#include "record/view/piece.h"

namespace kutrace::record {

class GrowingBlocks {
 public:
  // Blocks have indices from this one on.
  explicit GrowingBlocks(std::uint32_t first_index = 0) : first_index_(first_index) {}

  // Until something arrives a CPU's block holds its begin alone.
  void begin(CpuId cpu, Ticks time);
  // False: it does not continue what was there.
  bool add(const Piece& piece, std::string_view words);
  std::optional<FinishedBlock> open_block(CpuId cpu) const;
  std::vector<FinishedBlock> take_finished();
  // Those that grow; what holds nothing was never begun.
  std::vector<FinishedBlock> open_blocks() const;
  void release(const FinishedBlock& block) { free_.push_back(block.index - first_index_); }
  std::uint32_t used() const { return static_cast<std::uint32_t>(memory_.size() - free_.size()); }
  // Time of each CPU's last entry.
  std::map<CpuId, Ticks> ends() const;

 private:
  using Words = std::array<std::uint64_t, KUTRACE_BLOCK_WORDS>;
  struct Growing {
    FinishedBlock block;
    std::uint64_t number = 0;
    Ticks until = 0;
  };

  FinishedBlock new_block(CpuId cpu);
  std::uint64_t* words_of(const FinishedBlock& block) {
    return memory_[block.index - first_index_]->data();
  }

  const std::uint32_t first_index_;
  std::vector<std::unique_ptr<Words>> memory_;
  std::vector<std::uint32_t> free_;
  std::map<CpuId, Growing> growing_;
  std::vector<FinishedBlock> finished_;
};

}  // namespace kutrace::record
