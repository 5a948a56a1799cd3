// SPDX-License-Identifier: BSD-3-Clause
// One reader of a recording that several files of the module share. In: its blocks, which hold what
// all readers want, in about any order; out: blocks of its own groups alone. What was overwritten
// before it took it is told there as lost.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "record/view/growing_blocks.h"
#include "record/view/reader_stream.h"

namespace kutrace::record {

class SharedReader final : private PieceSink {
 public:
  // From this moment on. Its own blocks have indices from the number given on.
  SharedReader(const EventGroups& groups, Ticks begin, std::uint32_t first_index);

  // Each of these CPUs has a block from the begin on.
  void begin(const std::vector<CpuId>& cpus);
  // Blocks up to the one of this number were finished before the begin.
  void begin_behind(CpuId cpu, std::uint64_t sequence);
  // What came before the block of this number was handed over as it was, to an entry of this time.
  void go_on_from(CpuId cpu, std::uint64_t sequence, Ticks last);

  // Copies it. False: it is one of those that came before, late. One that was missed is no more.
  bool add(const FinishedBlock& block);
  // Passes on what is in order.
  void pass();
  // Whether one that was added waits for another that may still come.
  bool has_gap() const;
  // The newest that waits of each CPU. What is missing up to there will not come.
  using Newest = std::map<CpuId, std::uint64_t>;
  Newest newest() const;
  void pass_up_to(const Newest& newest);
  // There is no more: all blocks that are left.
  std::vector<FinishedBlock> finish();

  std::vector<FinishedBlock> take() { return blocks_.take_finished(); }
  std::optional<FinishedBlock> open_block(CpuId cpu) const { return blocks_.open_block(cpu); }
  void release(const FinishedBlock& block) { blocks_.release(block); }
  std::uint32_t used() const { return blocks_.used(); }
  std::uint64_t missed() const { return missed_; }  // blocks that are told as lost
  Ticks begin_time() const { return begin_; }
  // Time of the last entry of this CPU.
  Ticks end_of(CpuId cpu) const;

 private:
  struct Waiting {
    FinishedBlock block;
    std::vector<std::uint64_t> words;
  };
  struct Row {
    std::uint64_t first = 0;            // sequence of the first that is this reader's
    std::optional<std::uint64_t> next;  // none: not known yet
    std::map<std::uint64_t, Waiting> waiting;
  };

  void put(const Piece& piece, std::string_view words) override { blocks_.add(piece, words); }
  std::size_t waiting() const override { return 0; }
  void pass_first(Row& row);

  const Ticks begin_;
  GrowingBlocks blocks_;
  ReaderStream stream_;
  std::map<CpuId, Row> rows_;
  std::map<CpuId, Ticks> ends_;  // of what was added
  std::uint64_t missed_ = 0;
};

}  // namespace kutrace::record
