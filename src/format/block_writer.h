// SPDX-License-Identifier: BSD-3-Clause
// One block of a raw trace, as it is written. In: the facts of its header, then whole entries in
// order of time; out: the block's 64 KiB, followed by its trailer if the trace has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "format/raw_file.h"
#include "kutrace/abi.h"

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

// Whether blocks of a trace with these flags have a trailer.
constexpr bool has_trailer(unsigned flags) {
  return (flags & (KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC)) != 0;
}

class BlockWriter {
 public:
  BlockWriter(const BlockHeader& header, bool trailer);
  // Block 0 of a file; its header is longer.
  BlockWriter(const BlockHeader& header, const FileHeader& file);

  // Whether an entry of `words` words can follow. The last word of a block stays empty.
  bool fits(std::size_t words) const;
  // Adds an entry, which must fit: its time, bits 43:0 of its first word, and the words after it.
  // `ipc`: its byte of the trailer.
  void put(Ticks time, std::uint64_t low44, std::span<const std::uint64_t> payload = {},
           std::uint8_t ipc = 0);
  // The last entry is a call that returned `ticks` later, 1..255, with this result. `ipc`: the
  // call's nibble of the trailer.
  void fold(Ticks ticks, std::uint8_t result, std::uint8_t ipc = 0);

  Ticks base() const { return base_; }
  Ticks last() const { return last_; }  // time of the last entry, at first the block's
  bool empty() const { return position_ == first_; }
  std::size_t position() const { return position_; }  // of the next entry, in words
  std::string_view bytes() const;
  const std::uint64_t* words() const { return words_.data(); }

 private:
  void write_header(const BlockHeader& header, std::size_t at, unsigned flags);
  std::uint8_t* trailer() { return reinterpret_cast<std::uint8_t*>(&words_[KUTRACE_BLOCK_WORDS]); }

  std::vector<std::uint64_t> words_;  // of the block, then of its trailer
  Ticks base_;
  Ticks last_;
  std::size_t first_;
  std::size_t position_;        // next word
  std::size_t last_entry_ = 0;  // its first word
};

}  // namespace kutrace
