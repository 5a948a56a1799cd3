// SPDX-License-Identifier: BSD-3-Clause
// One pass over each block.
#include "record/blocks/tally.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "format/entry_group.h"
#include "format/event_table.h"
#include "record/proc/pid_namespace.h"

namespace kutrace::record {

namespace {

bool is_folded(std::uint64_t word) {
  return is_call(entry_event(word)) && (word >> KUTRACE_DELTA_SHIFT & KUTRACE_DELTA_MAX) != 0;
}

bool is_kind(std::uint64_t word, EventNum kind) {
  const EventNum event = entry_event(word);
  return event_class(event) == EventClass::kName && name_kind(event) == kind;
}

bool is_unseen_switch(std::uint64_t word) {
  constexpr std::uint64_t kBoth = KUTRACE_SWITCH_UNSEEN;
  return entry_event(word) == ev::kUSERPID && (word & kBoth) == kBoth;
}

// Who runs, said at the begin of a block.
bool is_statement(std::uint64_t word) {
  return entry_event(word) == ev::kUSERPID && (word & KUTRACE_SWITCH_UNSEEN) == 0;
}

// From the entry before one to itself; the block's first stands at its begin.
Ticks gap_before(std::uint64_t before, std::uint64_t word) {
  const Ticks jump = entry_event(before) == ev::kTSDELTA ? entry_arg(before) : 0;
  return jump + ((word - before) >> KUTRACE_TIME_SHIFT);
}

}  // namespace

void Tally::add(const FinishedBlock& block) {
  std::uint64_t count = 0;
  std::uint64_t before = block.words[KUTRACE_HEADER_WORDS];
  for_each_entry(block, [&](std::uint32_t at) {
    const std::uint64_t word = block.words[at];
    if (is_unseen_switch(word)) unseen_ticks += gap_before(before, word);
    before = word;
    ++by_event[entry_event(word)];
    const unsigned transitions_here = is_folded(word) ? 2u : 1u;
    count += transitions_here;
    by_group.add(group_of_entry(entry_event(word), entry_arg(word)), transitions_here);
    unseen_switches += is_unseen_switch(word) ? 1u : 0u;
    statements += is_statement(word) ? 1u : 0u;
    if (is_kind(word, kind::kLOSS)) add_loss(block.words[at + 3]);
  });
  by_cpu[block.cpu] += count;
  transitions += count;
}

void GroupCounts::add(const GroupCounts& other) {
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus());
}

std::uint64_t GroupCounts::sum() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

GroupCounts GroupCounts::since(const GroupCounts& earlier) const {
  GroupCounts result;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    result.counts_[i] = counts_[i] - earlier.counts_[i];
  return result;
}

void Tally::add_loss(std::uint64_t entries) {
  if (entries == KUTRACE_LOSS_UNKNOWN_COUNT)
    ++uncounted_losses;
  else
    losses += entries;
}

void Tally::add(const Tally& other) {
  for (std::size_t i = 0; i < by_event.size(); ++i) by_event[i] += other.by_event[i];
  for (const auto& [cpu, count] : other.by_cpu) by_cpu[cpu] += count;
  transitions += other.transitions;
  by_group.add(other.by_group);
  unseen_switches += other.unseen_switches;
  unseen_ticks += other.unseen_ticks;
  statements += other.statements;
  losses += other.losses;
  uncounted_losses += other.uncounted_losses;
}

void NameHarvest::add(const FinishedBlock& block) {
  for_each_entry(block, [&](std::uint32_t at) {
    const std::uint64_t* words = block.words + at;
    if (is_kind(words[0], kind::kPID_NAME)) {
      Known& known = threads_[entry_arg(words[0])];
      known.comm = {words[1], words[2]};
      known.has_name = true;
    } else if (is_kind(words[0], kind::kTASK)) {
      Known& known = threads_[entry_arg(words[0])];
      const bool other_id = (words[1] & KUTRACE_TASK_RENUMBERED) != 0;
      known.task = {other_id ? words[1] & KUTRACE_TASK_KERNEL_THREAD : words[1], words[2]};
      known.has_task = true;
    }
  });
  if (threads_.size() > forget_at_) forget_ended();
}

void NameHarvest::add(const SeedTask& task, std::uint32_t flags) {
  Known& known = threads_[static_cast<std::uint32_t>(task.pid)];
  std::array<char, KUTRACE_COMM_BYTES> name{};
  task.name.copy(name.data(), name.size() - 1);
  known.comm = std::bit_cast<std::array<std::uint64_t, 2>>(name);
  known.has_name = true;
  const LooseEntry entry = task_entry({task.pid, task.process, task.parent, flags, {}});
  std::ranges::copy(entry.payload, known.task.begin());
  known.has_task = true;
}

// Threads that ended long ago, whose blocks are gone, need no name: keeps memory flat.
void NameHarvest::forget_ended() {
  std::erase_if(threads_, [](const auto& entry) { return is_gone(entry.first); });
  forget_at_ = std::max<std::size_t>(65536, threads_.size() * 2);
}

void NameHarvest::append_to(NameEntries& names) const {
  append_to(names, [](std::uint32_t) { return true; });
}

void NameHarvest::append_to(NameEntries& names,
                            const std::function<bool(std::uint32_t)>& is_named) const {
  for (const auto& [pid, known] : threads_) {
    if (!is_named(pid) && is_gone(pid)) continue;
    if (known.has_name) names.add_words(kind::kPID_NAME, pid, known.comm);
    if (known.has_task) names.add_words(kind::kTASK, pid, known.task);
  }
}

}  // namespace kutrace::record
