// SPDX-License-Identifier: BSD-3-Clause
// Lookups along the line of processes.
#include "spans/own_names.h"

#include "format/event_table.h"

namespace kutrace::spans {

Pid OwnNames::memory_of(Pid process) const {
  const auto found = memory_of_.find(process);
  return found == memory_of_.end() ? process : found->second;
}

void OwnNames::shares(Pid process, Pid other) {
  const Pid memory = memory_of(other);
  if (memory != process) memory_of_[process] = memory;
}

void OwnNames::shares_no_more(Pid thread) { memory_of_.erase(line_.process_of(thread)); }

void OwnNames::belongs(Pid thread, Pid process, Pid parent) {
  line_.belongs(thread, process, parent);
  if (thread == process) memory_of_.erase(process);
}

void OwnNames::define(Pid thread, EventNum of, std::uint32_t item, NameId name) {
  names_[{memory_of(line_.process_of(thread)), {of, item}}] = name;
  first_.try_emplace({of, item}, name);
}

NameId OwnNames::find(Pid thread, EventNum of, std::uint32_t item) const {
  if (names_.empty()) return kNoName;
  NameId nearest = kNoName;
  line_.climb(memory_of(line_.process_of(thread)), [&](Pid process) {
    const auto found = names_.find({process, {of, item}});
    if (found != names_.end()) nearest = found->second;
    return found != names_.end();
  });
  if (nearest != kNoName) return nearest;
  const auto first = of == kind::kMETHOD_NAME ? first_.find({of, item}) : first_.end();
  return first == first_.end() ? kNoName : first->second;
}

}  // namespace kutrace::spans
