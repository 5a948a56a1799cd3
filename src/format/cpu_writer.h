// SPDX-License-Identifier: BSD-3-Clause
// One CPU's blocks, as they are written, one at a time. In: entries in order of time (ticks); out:
// a block, whenever its owner takes it. Numbers the blocks, tells gaps, folds calls, and knows who
// runs when a block begins.
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

  // Begins a block of this CPU. If the one before has not been taken, it is lost.
  void open(BlockHeader header);
  bool is_open() const { return block_.has_value(); }
  void close() { block_.reset(); }
  const BlockWriter& block() const { return *block_; }

  // Whether a TSDELTA must stand before an entry of this time.
  bool needs_gap(Ticks time) const;
  // Whether an entry of `words` words fits into the open block, together with the gap before it.
  bool fits(Ticks time, std::size_t words) const;
  // Adds an entry that fits: bits 43:0 of its first word, and the words after it.
  void put(Ticks time, std::uint64_t low44, std::span<const std::uint64_t> payload = {},
           std::uint8_t ipc = 0);
  // Makes the return of `call` a part of the call's entry, if it can: the call must be the last
  // entry, last 1..255 ticks and have a result of 8 bits. Returns whether it did.
  bool fold(Ticks time, EventNum call, std::uint16_t result, std::uint8_t ipc = 0);

  // The next `blocks` blocks will never be written.
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
