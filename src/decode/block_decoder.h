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

#include <cstddef>
#include <cstdint>

#include "decode/entry.h"
#include "decode/entry_shape.h"
#include "format/raw_file.h"
#include "kutrace/abi.h"

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
  bool next(Entry& entry) {
    while (position_ < block_->word_count) {
      const std::uint32_t at = position_++;
      const std::uint64_t word = block_->word(at);
      // Never used, or claimed and not stored. What follows is good.
      if (word == 0) [[unlikely]]
        continue;
      const auto top = static_cast<std::uint32_t>(word >> KUTRACE_EVENT_SHIFT);
      if (top == kSkippedTop) [[unlikely]] {
        if (word == ~std::uint64_t{0}) position_ = block_->word_count;
        continue;
      }
      const std::uint32_t number = top & KUTRACE_EVENT_MASK;
      const auto low = static_cast<std::uint32_t>(word);
      const EntryShape shape = kShapes[number];
      const unsigned length = shape.words();
      if (length == 0) [[unlikely]] {
        no_entry(number, top >> (KUTRACE_TIME_SHIFT - KUTRACE_EVENT_SHIFT), low);
        continue;
      }
      // Nothing can follow in this block.
      if (at + length > block_->word_count) [[unlikely]] {
        ++counters_->past_block_end;
        position_ = block_->word_count;
        return false;
      }
      position_ = at + length;
      expand(static_cast<std::uint32_t>(word >> KUTRACE_TIME_SHIFT));
      entry.time = time_;
      entry.number = static_cast<std::uint16_t>(number);
      entry.words = static_cast<std::uint8_t>(length);
      entry.payload = block_->words + 8 * (std::size_t{at} + 1);
      entry.ipc = block_->trailer != nullptr && length == 1
                      ? std::to_integer<std::uint8_t>(block_->trailer[at])
                      : std::uint8_t{0};
      entry.arg = shape.is_wide() ? low : low & 0xffff;
      const std::uint32_t ticks = shape.is_call() ? low >> KUTRACE_DELTA_SHIFT : 0;
      entry.fold_ticks = static_cast<std::uint8_t>(ticks);
      const auto result = static_cast<std::int8_t>(low >> KUTRACE_RESULT_SHIFT & 0xff);
      entry.result = ticks != 0 ? static_cast<std::uint16_t>(std::int16_t{result}) : 0;
      return true;
    }
    return false;
  }

  // Index of the word that `next` reads next.
  std::uint32_t position() const { return position_; }

 private:
  static constexpr std::uint32_t kSkippedTop = 0xffff'ffff;  // time and event all ones: no entry
  static constexpr Ticks kPeriod = Ticks{1} << KUTRACE_TIME_BITS;
  // 7/8 of a period: writers say longer gaps by TSDELTA, so what looks longer is a late store.
  static constexpr Ticks kForwardLimit = KUTRACE_TSDELTA_TICKS;

  void expand(std::uint32_t timestamp) {
    const Ticks ahead = (Ticks{timestamp} - time_) & KUTRACE_TIME_MASK;
    // Between entries time goes forward but for late stores.
    if (first_ || ahead > kForwardLimit) [[unlikely]]
      return expand_to_nearest(ahead);
    time_ += ahead;
  }
  void expand_to_nearest(Ticks ahead);
  // A TSDELTA, or a word that is none of the entries there are.
  void no_entry(std::uint32_t number, std::uint32_t timestamp, std::uint32_t low);
  void apply_tsdelta(std::uint32_t timestamp, std::uint32_t arg);

  const Block* block_;
  DecodeCounters* counters_;
  std::uint32_t position_;
  bool first_ = true;
  Ticks time_;  // of the last entry
};

}  // namespace kutrace::decode
