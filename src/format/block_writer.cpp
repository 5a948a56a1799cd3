// SPDX-License-Identifier: BSD-3-Clause
// Laying out a block.
#include "format/block_writer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "format/entry_word.h"

namespace kutrace {

namespace {

constexpr std::size_t kTrailerWords = KUTRACE_TRAILER_BYTES / sizeof(std::uint64_t);
constexpr unsigned kNibble = 4;

std::size_t words_of_block(bool trailer) {
  // The trailer follows the block at once, so both are written as one piece.
  return KUTRACE_BLOCK_WORDS + (trailer ? kTrailerWords : 0);
}

std::uint64_t with_top_byte(unsigned top, std::uint64_t low56) {
  return std::uint64_t{top & 0xff} << KUTRACE_TOP_BYTE_SHIFT | (low56 & KUTRACE_LOW56_MASK);
}

}  // namespace

BlockWriter::BlockWriter(const BlockHeader& header, bool trailer)
    : words_(words_of_block(trailer)),
      base_(header.start.counter),
      last_(base_),
      first_(KUTRACE_HEADER_WORDS),
      position_(first_) {
  write_header(header, 2, 0);
}

BlockWriter::BlockWriter(const BlockHeader& header, const FileHeader& file)
    : words_(words_of_block(has_trailer(file.flags))),
      base_(header.start.counter),
      last_(base_),
      first_(KUTRACE_FIRST_HEADER_WORDS),
      position_(first_) {
  // Block 0's header has the two clock readings in the words between.
  write_header(header, 8, file.flags | KUTRACE_FORMAT_VERSION);
  words_[2] = file.start.counter;
  words_[3] = file.start.usec;
  words_[4] = file.stop.counter;
  words_[5] = file.stop.usec;
}

void BlockWriter::write_header(const BlockHeader& header, std::size_t at, unsigned flags) {
  words_[0] = with_top_byte(header.cpu & 0xff, header.start.counter);
  words_[1] = with_top_byte(flags, header.start.usec);
  words_[at] = std::uint64_t{header.mhz} << 32 | static_cast<std::uint32_t>(header.pid);
  words_[at + 1] = header.cpu >> 8;
  std::memcpy(&words_[at + 2], header.comm.data(),
              std::min<std::size_t>(header.comm.size(), KUTRACE_COMM_BYTES));
}

bool BlockWriter::fits(std::size_t words) const { return position_ + words < KUTRACE_BLOCK_WORDS; }

void BlockWriter::put(Ticks time, std::uint64_t low44, std::span<const std::uint64_t> payload,
                      std::uint8_t ipc) {
  check(fits(payload.size() + 1), "an entry is put only where it fits");
  // A byte for each word; those of payloads stay 0.
  if (words_.size() > KUTRACE_BLOCK_WORDS) trailer()[position_] = ipc;
  last_entry_ = position_;
  words_[position_++] = time << KUTRACE_TIME_SHIFT | kutrace::low44(low44);
  for (const std::uint64_t word : payload) words_[position_++] = word;
  last_ = time;
}

void BlockWriter::fold(Ticks ticks, std::uint8_t result, std::uint8_t ipc) {
  check(!empty() && ticks >= 1 && ticks <= KUTRACE_DELTA_MAX, "only a short call is folded");
  // These bits are 0 until then: an argument that uses them is never folded (CpuWriter::fold).
  words_[last_entry_] |= ticks << KUTRACE_DELTA_SHIFT | std::uint64_t{result}
                                                            << KUTRACE_RESULT_SHIFT;
  if (words_.size() > KUTRACE_BLOCK_WORDS) {
    trailer()[last_entry_] = static_cast<std::uint8_t>(trailer()[last_entry_] | ipc << kNibble);
  }
}

std::string_view BlockWriter::bytes() const {
  return {reinterpret_cast<const char*>(words_.data()), words_.size() * sizeof words_[0]};
}

}  // namespace kutrace
