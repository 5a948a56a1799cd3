// SPDX-License-Identifier: BSD-3-Clause
// Threads to processes, and these to those who started them.
#include "raw/chosen_processes.h"

#include <algorithm>
#include <utility>

#include "base/shell_pattern.h"
#include "decode/block_decoder.h"
#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::raw {

namespace {

// The last that began until then. What is told a moment late holds from the begin, if nothing was
// told before.
template <typename Item>
const Item* last_until(const std::vector<Item>& items, Ticks time, Ticks Item::* since) {
  const auto next = std::ranges::upper_bound(items, time, {}, since);
  return next == items.begin() ? &*next : &*std::prev(next);
}

}  // namespace

ChosenProcesses::ChosenProcesses(const timeline::TraceLayout& layout, ProcessChoice choice)
    : choice_(std::move(choice)) {
  for (const decode::Entry& entry : layout.preamble) note(entry, 0);
  for (const timeline::CpuBlocks& cpu : layout.cpus) {
    for (const timeline::PlacedBlock& block : cpu.blocks) {
      decode::DecodeCounters ignored;
      decode::BlockDecoder decoder(block.block, ignored);
      decode::Entry entry;
      while (decoder.next(entry)) note(entry, entry.time);
    }
  }
  sort();
  if (choice_.follow) follow();
}

void ChosenProcesses::note(const decode::Entry& entry, Ticks time) {
  if (event_class(entry.number) != EventClass::kName) return;
  const auto pid = static_cast<Pid>(entry.arg);
  if (name_kind(entry.number) == kind::kPID_NAME && !choice_.names.empty())
    names_[pid].push_back({time, entry.payload_text()});
  if (name_kind(entry.number) != kind::kTASK || entry.words < KUTRACE_TASK_WORDS) return;
  if ((entry.payload_word(0) & KUTRACE_TASK_RENUMBERED) != 0) return;  // of the same process
  lives_[pid].push_back({time, static_cast<Pid>(entry.payload_word(1) & 0xffff'ffff),
                         static_cast<Pid>(entry.payload_word(1) >> 32),
                         (entry.payload_word(0) & KUTRACE_TASK_KERNEL_THREAD) != 0});
}

void ChosenProcesses::sort() {
  for (auto& [pid, lives] : lives_) std::ranges::stable_sort(lives, {}, &Life::begin);
  for (auto& [pid, names] : names_) std::ranges::stable_sort(names, {}, &Name::since);
}

// Parents before their children: those that were there are told in any order, so each is looked at
// again when its parent passes.
void ChosenProcesses::follow() {
  std::vector<std::pair<Ticks, Pid>> births;
  std::map<Pid, std::vector<Pid>> first_children;
  for (const auto& [pid, lives] : lives_) {
    for (const Life& life : lives) {
      if (life.process != pid) continue;
      births.emplace_back(life.begin, pid);
      followed_[pid][life.begin] = false;
      if (life.begin == 0) first_children[life.parent].push_back(pid);
    }
  }
  std::ranges::sort(births);
  for (const auto& [time, process] : births) {
    if (time != 0) {
      followed_[process][time] = passes(life_of(process, time)->parent, time);
      continue;
    }
    if (!is_chosen(process, 0)) continue;
    std::vector<Pid> passing{process};
    while (!passing.empty()) {
      const Pid parent = passing.back();
      passing.pop_back();
      for (const Pid child : std::exchange(first_children[parent], {})) {
        followed_[child][0] = true;
        passing.push_back(child);
      }
    }
  }
}

const ChosenProcesses::Life* ChosenProcesses::life_of(Pid pid, Ticks time) const {
  const auto found = lives_.find(pid);
  return found == lives_.end() ? nullptr : last_until(found->second, time, &Life::begin);
}

bool ChosenProcesses::is_chosen(Pid process, Ticks time) const {
  if (choice_.processes.empty() && choice_.names.empty()) return false;
  if (!choice_.processes.empty() && !choice_.processes.contains(process)) return false;
  if (choice_.names.empty()) return true;
  const auto found = names_.find(process);
  return found != names_.end() &&
         fits_any(choice_.names, last_until(found->second, time, &Name::since)->text);
}

bool ChosenProcesses::passes(Pid process, Ticks time) const {
  if (is_chosen(process, time)) return true;
  const auto found = followed_.find(process);
  if (found == followed_.end()) return false;
  const auto next = found->second.upper_bound(time);
  return next == found->second.begin() ? next->second : std::prev(next)->second;
}

bool ChosenProcesses::leaves_out(Pid pid, Ticks time) const {
  if (pid == 0) return false;
  const Life* life = life_of(pid, time);
  if (life == nullptr) return !choice_.names.empty() || !choice_.processes.contains(pid);
  return !life->is_kernel && !passes(life->process, time);
}

}  // namespace kutrace::raw
