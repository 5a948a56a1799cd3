// SPDX-License-Identifier: BSD-3-Clause
// Memory that is released is used again.
#include "record/view/growing_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kutrace::record {

FinishedBlock GrowingBlocks::new_block(CpuId cpu) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(memory_.size()));
    memory_.push_back(std::make_unique<Words>());
  }
  FinishedBlock block;
  block.index = first_index_ + free_.back();
  free_.pop_back();
  std::fill_n(words_of(block), KUTRACE_BLOCK_WORDS, 0);
  block.cpu = cpu;
  block.words = words_of(block);
  return block;
}

void GrowingBlocks::begin(CpuId cpu, Ticks time) {
  Growing own{new_block(cpu), 0, time};
  *words_of(own.block) = std::uint64_t{cpu & 0xff} << KUTRACE_TOP_BYTE_SHIFT | time;
  growing_.emplace(cpu, own);
}

bool GrowingBlocks::add(const Piece& piece, std::string_view words) {
  auto at = growing_.find(piece.cpu);
  if (at == growing_.end())
    at = growing_.emplace(piece.cpu, Growing{new_block(piece.cpu), piece.block, 0}).first;
  Growing& own = at->second;
  if (piece.block == own.number + 1) {
    finished_.push_back(own.block);
    own = {new_block(piece.cpu), piece.block, own.until};
  }
  if (piece.block != own.number || piece.at != own.block.end) return false;
  std::memcpy(words_of(own.block) + piece.at, words.data(), words.size());
  own.block.end = piece.at + piece.words;
  own.until = std::max(own.until, piece.until);
  return true;
}

std::optional<FinishedBlock> GrowingBlocks::open_block(CpuId cpu) const {
  const auto found = growing_.find(cpu);
  if (found == growing_.end()) return std::nullopt;
  return found->second.block;
}

std::vector<FinishedBlock> GrowingBlocks::take_finished() { return std::exchange(finished_, {}); }

std::vector<FinishedBlock> GrowingBlocks::open_blocks() const {
  std::vector<FinishedBlock> blocks;
  for (const auto& [cpu, own] : growing_)
    if (own.block.end > KUTRACE_HEADER_WORDS) blocks.push_back(own.block);
  return blocks;
}

std::map<CpuId, Ticks> GrowingBlocks::ends() const {
  std::map<CpuId, Ticks> ends;
  for (const auto& [cpu, own] : growing_) ends[cpu] = own.until;
  return ends;
}

}  // namespace kutrace::record
