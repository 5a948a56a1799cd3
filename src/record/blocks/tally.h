// SPDX-License-Identifier: BSD-3-Clause
// Counts over finished blocks: what was recorded, for the summary and the self-check, and the names
// in blocks that are about to be reused.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "format/event_groups.h"
#include "format/name_entries.h"
#include "record/blocks/block_walk.h"
#include "record/proc/task_seed.h"

namespace kutrace::record {

// How many of each group of events, a folded call counted twice.
class GroupCounts {
 public:
  void add(EventGroup group, std::uint64_t count) { counts_[place_of(group)] += count; }
  std::uint64_t of(EventGroup group) const { return counts_[place_of(group)]; }
  void add(const GroupCounts& other);
  std::uint64_t sum() const;
  GroupCounts since(const GroupCounts& earlier) const;

 private:
  // Of the group's bit; of what is of no group, the last.
  static std::size_t place_of(EventGroup group) {
    return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint32_t>(group)));
  }

  std::array<std::uint64_t, 33> counts_{};
};

struct Tally {
  std::vector<std::uint64_t> by_event = std::vector<std::uint64_t>(4096);
  std::map<CpuId, std::uint64_t> by_cpu;  // transitions
  std::uint64_t transitions = 0;          // entries, a folded call counted twice
  GroupCounts by_group;                   // of these
  std::uint64_t unseen_switches = 0;      // proved to be missing
  Ticks unseen_ticks = 0;                 // in which one of them lies
  std::uint64_t statements = 0;           // of who runs, which are no switches
  std::uint64_t losses = 0;               // entries lost, by the loss records in the blocks
  std::uint64_t uncounted_losses = 0;     // loss records that do not know how many

  void add(const FinishedBlock& block);
  void add(const Tally& other);
  void add_loss(std::uint64_t entries);
};

// What was last said about each thread in blocks that are gone.
class NameHarvest {
 public:
  void add(const FinishedBlock& block);
  // One that was there before all blocks.
  void add(const SeedTask& task, std::uint32_t flags);
  void append_to(NameEntries& names) const;
  // Only of threads that live, or that are among what `is_named` says somebody speaks of.
  void append_to(NameEntries& names, const std::function<bool(std::uint32_t)>& is_named) const;

 private:
  struct Known {
    std::array<std::uint64_t, 2> comm{};
    std::array<std::uint64_t, 2> task{};
    bool has_name = false;
    bool has_task = false;
  };
  void forget_ended();

  std::unordered_map<std::uint32_t, Known> threads_;
  std::size_t forget_at_ = 65536;
};

}  // namespace kutrace::record
