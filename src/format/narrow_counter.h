// SPDX-License-Identifier: BSD-3-Clause
// Time counters of machines whose counter, as it was recorded, lacks or garbles bits above 32.
// Enter block 0's bytes, its time pairs and the blocks; their counters leave as if whole.
#pragma once

#include <span>
#include <vector>

#include "format/raw_file.h"

namespace kutrace {

// Raspberry Pi, 32-bit kernels: 54 MHz kept to 32 bits, which turn over after 79.5 s. Blocks of a
// recording shorter than that stand in any order, those of a longer one in the order in which they
// were begun; a wrapped trace keeps less than one turn.
// SiFive u74-mc: bit 32 of the stop counter may be set in error.
// True if anything had to be changed.
bool mend_counters(std::span<const std::byte> first_block, bool wrapped, const TimePair& start,
                   TimePair& stop, std::vector<Block>& blocks);

}  // namespace kutrace
