// SPDX-License-Identifier: BSD-3-Clause
// The circle of blocks between the BPF programs and the recorder (bpf/layout.h): hands zeroed
// blocks to CPUs, takes finished ones back, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "record/blocks/finished_block.h"
#include "record/ebpf/bpf/layout.h"

namespace kutrace::record {

class BlockPool {
 public:
  // Shared memory, mapped and zeroed: all CPUs' cursors, their rings, the blocks. `cpus`: those
  // that record.
  BlockPool(kutrace_shared* shared, kutrace_rings* rings, kutrace_block* blocks,
            std::uint32_t block_count, std::vector<CpuId> cpus);

  // One more CPU that records from now on.
  void add_cpu(CpuId id);

  std::uint32_t block_count() const { return block_count_; }
  const std::vector<CpuId>& cpus() const { return cpus_; }
  kutrace_cpu& cpu(CpuId id) const { return shared_->cpus[id]; }

  // Blocks that no CPU has: given out as CPUs use theirs up.
  std::uint32_t reserve() const { return static_cast<std::uint32_t>(reserve_.size()); }
  // Fills every CPU's free ring from the reserve up to `level` blocks. Where too little is left for
  // that, CPUs have equal shares of it: those that have more give back. Returns the lowest level
  // left.
  std::uint32_t top_up(std::uint32_t level);
  // How many blocks that takes.
  std::uint32_t wanted(std::uint32_t level);
  // Whether a CPU has no block, and there is none to give to it.
  bool is_used_up() const;
  // The block that a CPU writes to, as far as it is known; none if it has none.
  std::optional<FinishedBlock> open_block(CpuId id) const;
  // Takes what CPUs finished, except blocks into which something is still to be stored.
  void collect(std::vector<FinishedBlock>& out);
  // Gives a block back to the reserve, zeroed.
  void release(std::uint32_t index);

  // Ends a CPU's recording: nothing is written to its open block any more, which is returned.
  std::optional<FinishedBlock> stop_cpu(CpuId id);
  // Finished blocks that still wait for something to be stored.
  std::vector<FinishedBlock> take_unsettled() { return std::move(unsettled_); }
  // Forgets everything recorded; every block is in the reserve again, zeroed if it was written to.
  // Nobody writes any more, and what was handed out was released.
  void reset();

 private:
  void make_room(CpuId id);
  std::uint32_t ahead(CpuId id) const;
  std::uint32_t level_for_all(std::uint32_t level) const;
  void take_back(CpuId id, std::uint32_t left);
  bool is_written(const FinishedBlock& block) const;
  std::optional<FinishedBlock> at_position(CpuId id, std::uint64_t position) const;
  void take_finished(CpuId id, std::vector<FinishedBlock>& out);

  kutrace_shared* shared_;
  kutrace_rings* rings_;
  kutrace_block* blocks_;
  std::uint32_t block_count_;
  std::vector<CpuId> cpus_;
  std::vector<std::uint32_t> reserve_;
  std::vector<std::uint32_t> owned_;      // by CPU: blocks given and not yet taken back
  std::vector<std::uint32_t> full_head_;  // by CPU: finished blocks taken so far
  std::vector<FinishedBlock> unsettled_;
};

}  // namespace kutrace::record
