// SPDX-License-Identifier: BSD-3-Clause
// Entries to a raw file the way kernels write them, on machines of every kind: blocks that begin
// before their entries, entries that are stored late, counters that turn over, older versions,
// bytes nobody wrote. All of it is done to blocks of the writer that every trace is made with.
// Times here count from the file's start counter.
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
#include "format/block_writer.h"
#include "format/name_entries.h"
#include "kutrace/abi.h"
#include "support/trace_builder.h"

namespace kutrace::test {

// A block of events as it stands in the file.
struct WrittenBlock {
  CpuId cpu = 0;
  std::size_t number = 0;  // in the file
  Ticks first = 0;         // time of the earliest and of the last entry stored
  Ticks last = 0;
  Ticks begun = 0;  // its header's counter, or the earliest entry if that is older
};

// What sets one machine's files apart from another's.
struct RawStyle {
  bool own = true;  // facts, sequence numbers and a block 0 of names, as this project's recorder
  unsigned version = KUTRACE_FORMAT_VERSION;
  unsigned flags = 0;  // KUTRACE_FLAG_*: of block 0
  Ticks start = kStart;
  unsigned ticks_per_2usec = 125;
  Ticks times_per_tick = 1;  // a slow clock: so many of the caller's times are one tick
  unsigned counter_bits = 56;
  Pid header_bias = 0;  // thread ids in headers are greater by this

  bool trailer() const { return has_trailer(flags); }
};

class KernelWriter {
 public:
  // Blocks end after a random number of words below `most_words`.
  KernelWriter(const RawStyle& style, unsigned most_words, std::uint64_t seed);

  void fact(const std::string& key, const std::string& value);
  void name(EventNum kind, std::uint32_t item, std::string_view text);
  void name_words(EventNum kind, std::uint32_t item, const std::vector<std::uint64_t>& words);

  // Trailer nibble of the entry that is put next: of the span that it ends.
  void measured(std::uint8_t nibble) { nibble_ = nibble; }
  // `running` is the thread that a header names if the entry is the first of a new block.
  void put(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
           const std::vector<std::uint64_t>& words = {});
  // Folded into the call if that is the entry before and folding is possible.
  void put_return(CpuId cpu, Ticks time, EventNum call, std::uint16_t result, Pid running);
  // An entry whose time was read before that of the entries already put. `gap_before` is what its
  // writer believes to be the time since the last entry.
  void put_late(CpuId cpu, Ticks time, EventNum event, std::uint32_t low, Pid running,
                std::int64_t gap_before);
  // Time of the last entry stored.
  Ticks last(CpuId cpu) const;

  // The file of a recording that stopped at `stop`. Event blocks in random order if `shuffled`.
  std::vector<std::byte> finish(Ticks stop, bool shuffled);
  // Valid after `finish`.
  const std::vector<WrittenBlock>& blocks() const { return written_; }

 private:
  using Words = std::vector<std::uint64_t>;
  struct Closed {
    WrittenBlock info;
    BlockWriter block;
    std::vector<std::uint8_t> trailer;
  };
  struct Open {
    WrittenBlock info;
    std::optional<BlockWriter> block;
    std::vector<std::uint8_t> trailer;  // with what a kernel leaves there
    Ticks last = 0;                     // of the last entry stored
    std::size_t most = 0;
    EventNum call = 0;  // of the last entry, if a return may be folded into it
    std::uint64_t sequence = 0;
  };

  Open& room(CpuId cpu, Ticks tick, Pid running, std::size_t words);
  void begin_block(Open& open, Ticks base, Pid running);
  void close_block(Open& open);
  void store(Open& open, Ticks tick, EventNum event, std::uint32_t low, const Words& words);
  BlockHeader header(Ticks base, CpuId cpu, Pid running) const;
  FileHeader file_header() const;  // when the stop is not known yet
  Closed names_block() const;
  void place(const Closed& closed, std::byte* at) const;
  std::uint64_t counter(Ticks tick) const;
  std::uint64_t usec_of(Ticks tick) const;
  bool names_apart() const;
  unsigned random(unsigned most) { return static_cast<unsigned>(engine_() % most); }

  RawStyle style_;
  unsigned most_words_;
  std::mt19937_64 engine_;
  NameEntries names_;
  std::uint8_t nibble_ = 0;
  std::size_t begun_ = 0;  // blocks
  std::map<CpuId, Open> open_;
  std::vector<Closed> closed_;
  std::vector<WrittenBlock> written_;
};

}  // namespace kutrace::test
