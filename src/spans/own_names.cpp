// SPDX-License-Identifier: BSD-3-Clause
// Lookups along the line of processes.
#include "spans/own_names.h"

#include "format/event_table.h"

namespace kutrace::spans {

namespace {

constexpr int kMostAncestors = 64;  // numbers are given again, so a line may be a circle

}  // namespace

Pid OwnNames::process_of(Pid thread) const {
  const auto found = process_of_.find(thread);
  return found == process_of_.end() ? thread : found->second;
}

Pid OwnNames::memory_of(Pid process) const {
  const auto found = memory_of_.find(process);
  return found == memory_of_.end() ? process : found->second;
}

void OwnNames::shares(Pid process, Pid other) {
  const Pid memory = memory_of(other);
  if (memory != process) memory_of_[process] = memory;
}

void OwnNames::shares_no_more(Pid thread) { memory_of_.erase(process_of(thread)); }

void OwnNames::belongs(Pid thread, Pid process, Pid parent) {
  process_of_[thread] = process;
  if (thread == process) memory_of_.erase(process);
  parent_of_[process] = parent;
}

void OwnNames::define(Pid thread, EventNum of, std::uint32_t item, NameId name) {
  names_[{memory_of(process_of(thread)), {of, item}}] = name;
  first_.try_emplace({of, item}, name);
}

NameId OwnNames::find(Pid thread, EventNum of, std::uint32_t item) const {
  if (names_.empty()) return kNoName;
  Pid process = memory_of(process_of(thread));
  for (int i = 0; i < kMostAncestors; ++i) {
    const auto found = names_.find({process, {of, item}});
    if (found != names_.end()) return found->second;
    const auto parent = parent_of_.find(process);
    if (parent == parent_of_.end()) break;
    process = parent->second;
  }
  const auto first = of == kind::kMETHOD_NAME ? first_.find({of, item}) : first_.end();
  return first == first_.end() ? kNoName : first->second;
}

}  // namespace kutrace::spans
