// SPDX-License-Identifier: BSD-3-Clause
// The entry loop and the expansion of 20-bit times.
#include "decode/block_decoder.h"

#include <algorithm>
#include <array>

#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::decode {

namespace {

constexpr std::uint64_t kSkippedTop = 0xffff'ffffull;  // timestamp and event all ones: not an entry
constexpr Ticks kPeriod = Ticks{1} << KUTRACE_TIME_BITS;
// 7/8 of a period: writers say longer gaps by TSDELTA, so what looks longer is a late store.
constexpr Ticks kForwardLimit = KUTRACE_TSDELTA_TICKS;
constexpr Ticks kArguments = Ticks{1} << 32;

// Words of an entry, by its number.
constexpr std::uint8_t length_of(EventNum number) {
  switch (event_class(number)) {
    case EventClass::kPcSample:
      return 2;
    case EventClass::kName:
      return name_kind(number) == kind::kPC_TEMP ? 2
                                                 : static_cast<std::uint8_t>(name_words(number));
    default:
      return 1;
  }
}

constexpr std::array<std::uint8_t, kEventNumbers> lengths() {
  std::array<std::uint8_t, kEventNumbers> lengths{};
  for (EventNum number = 0; number < kEventNumbers; ++number) lengths[number] = length_of(number);
  return lengths;
}
// A table, as this is asked for every entry.
constexpr std::array<std::uint8_t, kEventNumbers> kLengths = lengths();

}  // namespace

BlockDecoder::BlockDecoder(const Block& block, DecodeCounters& counters)
    : block_(&block), counters_(&counters), position_(block.header_words), time_(block.base) {}

void BlockDecoder::expand(std::uint32_t timestamp) {
  const Ticks ahead = (Ticks{timestamp} - time_) & KUTRACE_TIME_MASK;
  // The header's counter is read near the first entry's, before or after, so the nearest is right.
  // Between entries time goes forward but for late stores.
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

bool BlockDecoder::next(Entry& entry) {
  while (position_ < block_->word_count) {
    const std::uint32_t at = position_++;
    const std::uint64_t word = block_->word(at);
    // Never used, or claimed and not stored. What follows is good.
    if (word == 0) continue;
    if (word == ~std::uint64_t{0}) {
      position_ = block_->word_count;
      return false;
    }
    if (word >> KUTRACE_EVENT_SHIFT == kSkippedTop) continue;
    const auto number =
        static_cast<std::uint32_t>(word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK);
    const auto timestamp = static_cast<std::uint32_t>(word >> KUTRACE_TIME_SHIFT);
    const auto low = static_cast<std::uint32_t>(word);
    if (number == ev::kTSDELTA) {
      apply_tsdelta(timestamp, low);
      continue;
    }
    const unsigned length = kLengths[number];
    // Only this word is doubtful: what follows may be its payload, and then looks odd, or entries.
    if (length == 0 || length > KUTRACE_MAX_WORDS) {
      ++counters_->bad_length;
      continue;
    }
    // Nothing can follow in this block.
    if (at + length > block_->word_count) {
      ++counters_->past_block_end;
      position_ = block_->word_count;
      return false;
    }
    position_ = at + length;
    expand(timestamp);
    entry.time = time_;
    entry.number = static_cast<std::uint16_t>(number);
    entry.words = static_cast<std::uint8_t>(length);
    entry.payload = block_->words + 8 * (std::size_t{at} + 1);
    entry.ipc = block_->trailer != nullptr && length == 1
                    ? std::to_integer<std::uint8_t>(block_->trailer[at])
                    : std::uint8_t{0};
    entry.arg = low & 0xffff;
    entry.result = 0;
    entry.fold_ticks = 0;
    // Below are names and moments, whose upper bytes are no ticks and result.
    if (number >= 0x400) {
      if (is_call(number) && (low >> KUTRACE_DELTA_SHIFT) != 0) {
        entry.fold_ticks = static_cast<std::uint8_t>(low >> KUTRACE_DELTA_SHIFT);
        const auto result = static_cast<std::int8_t>(low >> KUTRACE_RESULT_SHIFT & 0xff);
        entry.result = static_cast<std::uint16_t>(std::int16_t{result});
      }
    } else if (has_wide_argument(number)) {
      entry.arg = low;
    }
    return true;
  }
  return false;
}

}  // namespace kutrace::decode
