// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a raw file that hold only names. In: entries and headers; out: block 0 and those
// right behind it, for which room can be kept before their contents are known, and those behind the
// events.
#pragma once

#include <cstddef>
#include <vector>

#include "format/block_writer.h"
#include "format/name_entries.h"

namespace kutrace {

struct FrontBlocks {
  std::vector<BlockWriter> blocks;
  std::size_t words = 0;  // of the entries, so many are in these blocks
};

// How many blocks are needed at most for entries of `words` words together.
std::size_t blocks_for(std::size_t words);

// At least `least` and at most `most` blocks; entries that they have no room for are left over
// (FrontBlocks::words). `header` is that of block 0, and the others are given the same.
FrontBlocks front_blocks(const NameEntries& entries, const BlockHeader& header,
                         const FileHeader& file, std::size_t least, std::size_t most);

// The entries from word `at` on, in blocks that belong to no CPU. The header's time is that of the
// stop.
std::vector<BlockWriter> later_blocks(const NameEntries& entries, std::size_t at,
                                      const BlockHeader& header, bool trailer);

}  // namespace kutrace
