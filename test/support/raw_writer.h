// SPDX-License-Identifier: BSD-3-Clause
// Entries to a raw file the way a kernel writes them: per-CPU blocks, folding, TSDELTA, entries
// that are stored late. Counter 0 here is counter kStart of the file (trace_builder.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace kutrace::test {

// A block of events as it stands in the file.
struct WrittenBlock {
  CpuId cpu = 0;
  std::size_t number = 0;  // in the file
  Ticks first = 0;         // time of the earliest and of the last entry stored
  Ticks last = 0;
};

class RawWriter {
 public:
  // `own`: with facts, sequence numbers and a block 0 of names, as this project's recorder writes.
  // Blocks end after a random number of words below `most_words`.
  RawWriter(bool own, unsigned most_words, std::uint64_t seed);

  void fact(const std::string& key, const std::string& value);
  void name(EventNum kind, std::uint32_t item, std::string_view text);
  void name_words(EventNum kind, std::uint32_t item, const std::vector<std::uint64_t>& words);

  // `running` is the thread that a header names if the entry is the first of a new block.
  void put(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
           const std::vector<std::uint64_t>& words = {});
  // Folded into the call if that is the entry before and folding is possible.
  void put_return(CpuId cpu, Ticks time, EventNum call, std::uint16_t result, Pid running);
  // An entry whose time was read before that of the entries already put. `gap_before` is what its
  // writer believes to be the time since the last entry.
  void put_late(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
                std::int64_t gap_before);
  Ticks last(CpuId cpu) const;

  // The file of a recording that stopped at `stop`. Event blocks in random order if `shuffled`.
  std::vector<std::byte> finish(Ticks stop, bool shuffled);
  // Valid after `finish`.
  const std::vector<WrittenBlock>& blocks() const { return written_; }

 private:
  using Words = std::vector<std::uint64_t>;
  struct Open {
    WrittenBlock info;
    Words words;
    Ticks base = 0;
    Ticks last = 0;  // of the last entry stored
    std::size_t most = 0;
    std::size_t call = 0;  // index of the word that a return may be folded into, 0 for none
    std::uint64_t sequence = 0;
  };

  Open& room(CpuId cpu, Ticks time, Pid running, std::size_t words);
  void begin_block(Open& open, Ticks base, Pid running);
  void close_block(Open& open);
  Words header(Ticks base, CpuId cpu, Pid running, bool first) const;
  unsigned random(unsigned most) { return static_cast<unsigned>(engine_() % most); }

  bool own_;
  unsigned most_words_;
  std::mt19937_64 engine_;
  Words names_;
  std::uint32_t facts_ = 0;
  std::size_t begun_ = 0;  // blocks
  std::map<CpuId, Open> open_;
  std::vector<std::pair<WrittenBlock, Words>> closed_;
  std::vector<WrittenBlock> written_;
};

}  // namespace kutrace::test
