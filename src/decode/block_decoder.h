// SPDX-License-Identifier: BSD-3-Clause
// The entries of a block. In: a block of a raw file; out: its entries in the order of the buffer,
// with whole times in ticks.
//
// An entry holds the low 20 bits of the counter. Its full time is the one nearest to the time of
// the entry before it, at most 1/8 of a period back (an entry that was stored late); that of the
// first entry is the one nearest to the counter in the block's header. A TSDELTA entry says how
// long a gap was; it is believed only if it leads exactly to its own timestamp. So one wrong time
// never moves those behind it (doc/trace-format.md).
#pragma once

#include <cstdint>

#include "decode/entry.h"
#include "format/raw_file.h"

namespace kutrace::decode {

// What was odd in the blocks decoded so far; all zero in a healthy trace.
struct DecodeCounters {
  std::uint64_t bad_length = 0;       // name entry of 0, 9..15 words: that word is skipped
  std::uint64_t past_block_end = 0;   // entry needs more words than the block has left
  std::uint64_t tsdelta_refused = 0;  // TSDELTA that contradicts its timestamp
  std::uint64_t late_store = 0;       // entry older than its predecessor (ordered again later)
};

class BlockDecoder {
 public:
  // Both must outlive this object.
  BlockDecoder(const Block& block, DecodeCounters& counters);

  // False at the end of the block, and then `entry` is unchanged. The entry's payload points into
  // the block.
  bool next(Entry& entry);

  // Index of the word that `next` reads next.
  std::uint32_t position() const { return position_; }

 private:
  void expand(std::uint32_t timestamp);
  void apply_tsdelta(std::uint32_t timestamp, std::uint32_t arg);

  const Block* block_;
  DecodeCounters* counters_;
  std::uint32_t position_;
  bool first_ = true;
  Ticks time_;  // of the last entry
};

}  // namespace kutrace::decode
