// SPDX-License-Identifier: BSD-3-Clause
// Packing names into blocks.
#include "format/name_blocks.h"

#include <array>
#include <cstdint>

#include "format/entry_word.h"
#include "format/event_table.h"

namespace kutrace {

namespace {

// Words that a block of names may leave empty: the header, and an entry that does not fit.
constexpr std::size_t kBlockEdge = 32;

BlockWriter numbered_block(const BlockHeader& header, bool trailer, std::uint64_t number) {
  BlockWriter block(header, trailer);
  block.put(block.base(),
            low44(with_length(kind::kBLOCK, KUTRACE_BLOCK_WORDS_USED), KUTRACE_BLOCK_NAMES),
            std::array{number});
  return block;
}

}  // namespace

std::size_t blocks_for(std::size_t words) { return 1 + words / (KUTRACE_BLOCK_WORDS - kBlockEdge); }

FrontBlocks front_blocks(const NameEntries& entries, const BlockHeader& header,
                         const FileHeader& file, std::size_t least, std::size_t most) {
  FrontBlocks front;
  const bool trailer = has_trailer(file.flags);
  front.blocks.emplace_back(header, file);
  front.words = entries.fill(front.blocks.back(), 0);
  while (front.words < entries.words() && front.blocks.size() < most) {
    front.blocks.emplace_back(header, trailer);
    front.words = entries.fill(front.blocks.back(), front.words);
  }
  // Those that stay empty are numbered: readers take two that are the same for damage.
  while (front.blocks.size() < least)
    front.blocks.push_back(numbered_block(header, trailer, front.blocks.size()));
  return front;
}

std::vector<BlockWriter> later_blocks(const NameEntries& entries, std::size_t at,
                                      const BlockHeader& header, bool trailer) {
  std::vector<BlockWriter> blocks;
  while (at < entries.words()) {
    blocks.push_back(numbered_block(header, trailer, blocks.size()));
    at = entries.fill(blocks.back(), at);
  }
  return blocks;
}

}  // namespace kutrace
