// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a raw file that hold names only: block 0 with those right behind it, whose room can
// be kept before their contents are known, and those behind the events.
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

// How many blocks so many words of entries need at most.
std::size_t blocks_for(std::size_t words);

// At least `least` blocks and at most `most`; all of them have the header of block 0.
FrontBlocks front_blocks(const NameEntries& entries, const BlockHeader& header,
                         const FileHeader& file, std::size_t least, std::size_t most);

// Entries from word `at` on, in blocks that are no CPU's. The header names the time of the stop.
std::vector<BlockWriter> later_blocks(const NameEntries& entries, std::size_t at,
                                      const BlockHeader& header, bool trailer);

}  // namespace kutrace
