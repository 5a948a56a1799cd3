// SPDX-License-Identifier: BSD-3-Clause
// The entry loop and the expansion of 20-bit times.
#include "decode/block_decoder.h"

#include <algorithm>

#include "kutrace/abi.h"

namespace kutrace::decode {

BlockDecoder::BlockDecoder(const Block& block, DecodeCounters& counters)
    : block_(&block), counters_(&counters), position_(block.header_words), time_(block.base) {}

// The header's counter is read near the first entry's, before or after, so the nearest is right.
void BlockDecoder::expand_to_nearest(Ticks ahead) {
  const Ticks limit = first_ ? kPeriod / 2 : kForwardLimit;
  if (ahead <= limit) {
    time_ += ahead;
  } else {
    const Ticks back = kPeriod - ahead;
    // Not below 0, in a block that lies about its base.
    time_ -= back <= time_ ? back : time_;
    if (!first_) ++counters_->late_store;
  }
  first_ = false;
}

void BlockDecoder::apply_tsdelta(std::uint32_t timestamp, std::uint32_t arg) {
  // The low 32 bits of the gap. A store can be late by a part of a period; nothing goes back as far
  // as a long gap would look if it were read as a negative one.
  constexpr Ticks kArguments = Ticks{1} << 32;
  const Ticks back = kArguments - arg;
  const Ticks candidate = back <= kPeriod ? time_ - std::min(back, time_) : time_ + arg;
  // The first of a block tells of the gap to the block before, which the header has covered. Of two
  // TSDELTAs for one gap the second misses its own timestamp. Either would shift the rest of the
  // block.
  if (first_ || (candidate & KUTRACE_TIME_MASK) != timestamp) {
    if (!first_) ++counters_->tsdelta_refused;
    expand(timestamp);
    return;
  }
  time_ = candidate;
}

void BlockDecoder::no_entry(std::uint32_t number, std::uint32_t timestamp, std::uint32_t low) {
  if (number == ev::kTSDELTA) return apply_tsdelta(timestamp, low);
  // Only this word is doubtful: what follows may be its payload, and then looks odd, or entries.
  ++counters_->bad_length;
}

}  // namespace kutrace::decode
