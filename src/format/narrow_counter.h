// SPDX-License-Identifier: BSD-3-Clause
// Counters of machines that recorded too few bits of them, or wrong ones, above bit 31. In: the
// bytes of block 0, the clock readings and the blocks; out: the same with counters as if they were
// whole.
#pragma once

#include <span>
#include <vector>

#include "format/raw_file.h"

namespace kutrace {

// Raspberry Pi, 32-bit kernels: a counter of 54 MHz kept to 32 bits turns over after 79.5 s. Blocks
// of a shorter recording stand in any order, those of a longer one in the order in which they were
// begun; a wrapped trace keeps less than one turn.
//
// SiFive u74-mc: bit 32 of the stop counter may be set in error.
//
// Returns whether anything had to be changed. Files of other machines stay as they are.
bool mend_counters(std::span<const std::byte> first_block, bool wrapped, const TimePair& start,
                   TimePair& stop, std::vector<Block>& blocks);

}  // namespace kutrace
