// SPDX-License-Identifier: BSD-3-Clause
// One block of a raw trace being written: a header's facts and whole entries enter, leave the 64
// KiB of the block and, if the trace has them, the bytes of its trailer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "format/raw_file.h"

namespace kutrace {

struct BlockHeader {
  CpuId cpu = 0;
  TimePair start;  // of the block
  Pid pid = 0;
  std::uint32_t mhz = 0;
  std::string comm;
};

// What only block 0 holds.
struct FileHeader {
  TimePair start;
  TimePair stop;
  unsigned flags = 0;  // without the version
};

class BlockWriter {
 public:
  BlockWriter(const BlockHeader& header, bool trailer);
  // Block 0 of a file.
  BlockWriter(const BlockHeader& header, const FileHeader& file);

  // Whether an entry of so many words can follow. The last word of a block is never used.
  bool fits(std::size_t words) const;
  // An entry, which must fit: bits 43:0 of its first word, and the words after it.
  void put(Ticks time, std::uint64_t low44, const std::uint64_t* payload, std::size_t words,
           std::uint8_t ipc = 0);

  Ticks base() const { return base_; }
  Ticks last() const { return last_; }  // time of the last entry, at first the block's
  bool empty() const { return position_ == first_; }
  std::string_view bytes() const;

 private:
  void write_header(const BlockHeader& header, std::size_t at, unsigned flags);
  std::byte* word_at(std::size_t word) { return bytes_.data() + 8 * word; }
  void set(std::size_t word, std::uint64_t value);

  std::vector<std::byte> bytes_;
  Ticks base_;
  Ticks last_;
  std::size_t first_;
  std::size_t position_;  // next word
};

}  // namespace kutrace
