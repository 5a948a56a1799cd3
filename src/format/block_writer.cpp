// SPDX-License-Identifier: BSD-3-Clause
// Laying out a block.
#include "format/block_writer.h"

#include <algorithm>
#include <cstring>

#include "kutrace/abi.h"

namespace kutrace {

namespace {

std::size_t block_bytes(bool trailer) {
  return KUTRACE_BLOCK_BYTES + (trailer ? KUTRACE_TRAILER_BYTES : 0);
}

std::uint64_t with_top_byte(unsigned top, std::uint64_t low56) {
  return std::uint64_t{top & 0xff} << KUTRACE_TOP_BYTE_SHIFT | (low56 & KUTRACE_LOW56_MASK);
}

}  // namespace

BlockWriter::BlockWriter(const BlockHeader& header, bool trailer)
    : bytes_(block_bytes(trailer)),
      base_(header.start.counter),
      last_(base_),
      first_(KUTRACE_HEADER_WORDS),
      position_(first_) {
  write_header(header, 2, 0);
}

BlockWriter::BlockWriter(const BlockHeader& header, const FileHeader& file)
    : bytes_(block_bytes((file.flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) != 0)),
      base_(header.start.counter),
      last_(base_),
      first_(KUTRACE_FIRST_HEADER_WORDS),
      position_(first_) {
  write_header(header, 8, file.flags | KUTRACE_FORMAT_VERSION);
  set(2, file.start.counter);
  set(3, file.start.usec);
  set(4, file.stop.counter);
  set(5, file.stop.usec);
}

void BlockWriter::write_header(const BlockHeader& header, std::size_t at, unsigned flags) {
  set(0, with_top_byte(header.cpu & 0xff, header.start.counter));
  set(1, with_top_byte(flags, header.start.usec));
  set(at, std::uint64_t{header.mhz} << 32 | static_cast<std::uint32_t>(header.pid));
  set(at + 1, header.cpu >> 8);
  std::memcpy(word_at(at + 2), header.comm.data(),
              std::min<std::size_t>(header.comm.size(), KUTRACE_COMM_BYTES));
}

void BlockWriter::set(std::size_t word, std::uint64_t value) {
  std::memcpy(word_at(word), &value, sizeof value);
}

bool BlockWriter::fits(std::size_t words) const { return position_ + words < KUTRACE_BLOCK_WORDS; }

void BlockWriter::put(Ticks time, std::uint64_t low44, const std::uint64_t* payload,
                      std::size_t words, std::uint8_t ipc) {
  constexpr std::uint64_t kLow44 = (std::uint64_t{1} << KUTRACE_TIME_SHIFT) - 1;
  if (bytes_.size() > KUTRACE_BLOCK_BYTES) {
    bytes_[KUTRACE_BLOCK_BYTES + position_] = static_cast<std::byte>(ipc);
  }
  set(position_++, time << KUTRACE_TIME_SHIFT | (low44 & kLow44));
  for (std::size_t i = 0; i + 1 < words; ++i) set(position_++, payload[i]);
  last_ = time;
}

std::string_view BlockWriter::bytes() const {
  return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
}

}  // namespace kutrace
