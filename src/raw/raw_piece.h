// SPDX-License-Identifier: BSD-3-Clause
// One CPU's blocks in a piece of a raw trace. In: the CPU's blocks, its state at the begin of the
// piece, and the window; out: new blocks, one at a time, without the entries outside the window
// and, if processes were chosen, without what threads of others do. All others stay as they were,
// with time gaps told and blocks numbered.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/cpu_writer.h"
#include "raw/chosen_processes.h"
#include "raw/raw_state.h"
#include "timeline/trace_layout.h"

namespace kutrace::raw {

class CpuPiece {
 public:
  struct Options {
    TickWindow window;
    TraceClock clock;  // of the trace to be made
    std::uint64_t wall_usec = 0;
    bool trailer = false;
    std::uint64_t sequence = 0;               // number of the first block
    std::vector<LooseEntry> before;           // entries that the first block begins with
    std::uint64_t asleep = 0;                 // as CpuState has it: it sleeps on since before
    const ChosenProcesses* chosen = nullptr;  // none: all
  };

  // All references must outlive this object.
  CpuPiece(const timeline::TraceLayout& layout, const RawState& state,
           const timeline::CpuBlocks& blocks, Options options);

  // Makes the next block, for block(); false if there is none.
  bool next();
  const BlockWriter& block() const { return writer_.block(); }
  CpuId cpu() const { return blocks_.cpu; }
  std::uint64_t sequence() const { return writer_.sequence(); }  // of the next block

 private:
  struct Item {
    Ticks time = 0;
    std::uint64_t low44 = 0;
    const std::byte* payload = nullptr;
    unsigned words = 1;
    std::uint8_t ipc = 0;
  };

  void begin();
  bool enter_source();
  bool read(Item& item);
  bool item_of(const decode::Entry& entry, Item& item);
  bool leave_out(const decode::Entry& entry, Item& item);
  // The argument that says that it runs.
  std::uint32_t runs(Pid pid) const {
    return static_cast<std::uint32_t>(pid) | (hidden_ ? KUTRACE_SWITCH_HIDDEN : 0);
  }
  bool is_left_out(Pid pid, Ticks time) const {
    return options_.chosen != nullptr && options_.chosen->leaves_out(pid, time);
  }
  bool is_seed(const Item& item) const;
  void tell_names(Ticks time, Pid pid);
  bool read_name(Item& item);
  void clip_loss(const decode::Entry& entry, Item& item);
  void open(Ticks base, Pid pid, const std::string& comm, std::uint32_t mhz);
  void open_next();
  void put(const Item& item);
  bool put_seeds();

  const timeline::TraceLayout& layout_;
  const RawState& state_;
  const CpuState& cpu_state_;
  const timeline::CpuBlocks& blocks_;
  Options options_;
  std::size_t source_ = 0;  // index of the block that is read
  std::optional<decode::BlockDecoder> decoder_;
  decode::DecodeCounters ignored_;
  std::vector<LooseEntry> seeds_;  // what the piece begins with
  std::size_t next_seed_ = 0;
  std::size_t next_run_ = 0;           // of the state's first runs
  const FirstRun* telling_ = nullptr;  // names of this one come next
  std::size_t next_name_ = 0;
  std::optional<Item> pending_;  // did not fit into the block before
  bool boundary_ = false;        // the source block begins a new block
  bool hidden_ = false;          // what the thread does that runs is left out
  bool begun_ = false;
  bool sleeps_on_ = false;  // what would say so again would wake it
  std::optional<std::uint64_t> source_sequence_;
  std::array<std::uint64_t, 3> clipped_{};  // payload of the loss record that was read last
  CpuWriter writer_;
};

}  // namespace kutrace::raw
