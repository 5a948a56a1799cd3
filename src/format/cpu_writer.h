// SPDX-License-Identifier: BSD-3-Clause
// One CPU's blocks being written, one at a time. Entries go in, in the order of their times; a
// block comes out when its owner takes it. Knows how blocks are numbered, how long gaps are told,
// which calls can be folded, and who runs when a block begins.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/units.h"
#include "format/block_writer.h"

namespace kutrace {

class CpuWriter {
 public:
  struct Options {
    CpuId cpu = 0;
    bool trailer = false;
    bool numbered = true;        // blocks begin with their number
    std::uint64_t sequence = 0;  // number of the first
  };

  explicit CpuWriter(const Options& options) : options_(options) {}

  // Begins a block of this CPU; the one before must have been taken, or is lost.
  void open(BlockHeader header);
  bool is_open() const { return block_.has_value(); }
  void close() { block_.reset(); }
  const BlockWriter& block() const { return *block_; }

  // Whether a gap must be told before an entry of this time.
  bool needs_gap(Ticks time) const;
  // Whether an entry of so many words fits into the open block, with its gap.
  bool fits(Ticks time, std::size_t words) const;
  // An entry that fits: bits 43:0 of its first word, and the words after it.
  void put(Ticks time, std::uint64_t low44, std::span<const std::uint64_t> payload = {},
           std::uint8_t ipc = 0);
  // Whether the return of `call` became a part of its entry. It must follow as the next entry, be
  // short and have a small result.
  bool fold(Ticks time, EventNum call, std::uint16_t result, std::uint8_t ipc = 0);

  // So many blocks come next that will never be written.
  void skip(std::uint64_t blocks) { options_.sequence += blocks; }
  CpuId cpu() const { return options_.cpu; }
  std::uint64_t sequence() const { return options_.sequence; }  // of the next block
  Pid running() const { return running_; }

 private:
  Options options_;
  Pid running_ = 0;
  std::uint64_t last_low44_ = 0;  // of the last entry, 0 if nothing can be folded into it
  std::optional<BlockWriter> block_;
};

}  // namespace kutrace
