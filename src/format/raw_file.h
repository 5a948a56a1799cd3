// SPDX-License-Identifier: BSD-3-Clause
// A raw trace as blocks. In: the bytes of a file; out: an index of its usable blocks, the clock
// readings and flags of block 0, and what is wrong with the rest. Nothing is copied: words are read
// where the file is mapped.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "base/units.h"
#include "format/counters.h"

namespace kutrace {

// One block of the file.
struct Block {
  const std::byte* words = nullptr;    // first word of the block in the file
  const std::byte* trailer = nullptr;  // one byte per word, or null
  std::uint32_t number = 0;            // position in the file, from 0
  std::uint32_t header_words = 0;
  std::uint32_t word_count = 0;  // 8192, fewer in a block that the file's end cut off
  CpuId cpu = 0;
  std::uint32_t mhz = 0;   // 0: not known
  Pid pid = 0;             // thread running when the block was started
  Ticks base = 0;          // counter when the block was started
  std::uint64_t usec = 0;  // wall clock of it
  unsigned flags = 0;

  std::uint64_t word(std::uint32_t index) const {
    std::uint64_t value;
    std::memcpy(&value, words + 8 * std::size_t{index}, sizeof value);
    return value;
  }
  std::string comm() const;  // that thread's name; empty in traces before version 3
};

// The two clock readings that bound the recording.
struct TimePair {
  Ticks counter = 0;
  std::uint64_t usec = 0;
};

class RawFile {
 public:
  // Takes the file over. Fails only if not even block 0's header can be used: too short, text, or
  // an unknown version. All other damage is counted.
  static Result<RawFile> open(MappedFile file);

  const std::string& name() const { return file_.name(); }
  const std::vector<Block>& blocks() const { return blocks_; }
  const TimePair& start() const { return start_; }
  const TimePair& stop() const { return stop_; }
  unsigned flags() const { return flags_; }
  unsigned version() const { return version_; }
  bool wrapped() const { return wrapped_; }
  bool cut() const { return cut_; }  // the last block is not whole
  std::uint64_t size() const { return file_.bytes().size(); }
  // What was found wrong, and how often (doc/trace-format.md, "Damage").
  const Counters& counters() const { return counters_; }

 private:
  explicit RawFile(MappedFile file) : file_(std::move(file)) {}
  Status read_first_header();
  void index_blocks();
  Block read_header(std::uint64_t offset, std::uint32_t number, std::uint64_t bytes) const;
  std::size_t stride() const;
  void find_trailer();
  void doubt_version();
  bool block_begins_at(std::size_t offset) const;

  MappedFile file_;
  std::vector<Block> blocks_;
  TimePair start_;
  TimePair stop_;
  unsigned flags_ = 0;
  unsigned version_ = 0;
  bool wrapped_ = false;
  bool has_trailer_ = false;
  bool cut_ = false;
  Counters counters_;
};

}  // namespace kutrace
