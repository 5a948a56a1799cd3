// SPDX-License-Identifier: BSD-3-Clause
// Looking up names of rows.
#include "reports/thread_names.h"

#include "reports/thread_groups.h"

namespace kutrace::reports {

std::uint32_t ThreadNames::life(const ThreadLife& life) {
  const std::uint32_t row = rows_.index(life.pid, life.thread);
  if (row >= lived_.size()) lived_.resize(row + std::size_t{1}, kNoName);
  lived_[row] = life.name;
  processes_.add(life);
  return row;
}

void ThreadNames::finish(const TraceInfo& info) {
  processes_.finish();
  cgroups_.emplace(processes_, info.facts);
}

std::string ThreadNames::cgroup(std::uint32_t row, CgroupPart part) const {
  const Process* const known = process(row);
  return cgroup_label(known != nullptr && cgroups_ ? cgroups_->of(known->id) : "", part);
}

std::string ThreadNames::name(std::uint32_t row, const TraceInfo& info) const {
  const NameId lived = row < lived_.size() ? lived_[row] : kNoName;
  return lived != kNoName ? names_.text(lived) : thread_name(pid(row), info, names_);
}

const Process* ThreadNames::process(std::uint32_t row) const {
  const ProcessId process = processes_.of(rows_.at(row).thread);
  return process != ProcessId::kNone ? &processes_.at(process) : nullptr;
}

Pid ThreadNames::process_number(std::uint32_t row, const TraceInfo& info) const {
  const Process* const known = process(row);
  return known != nullptr ? known->number : process_of(pid(row), info);
}

std::string ThreadNames::process_name(std::uint32_t row, const TraceInfo& info) const {
  const Process* const known = process(row);
  if (known != nullptr && known->name != kNoName) return names_.text(known->name);
  const Pid number = process_number(row, info);
  return number == pid(row) ? name(row, info) : thread_name(number, info, names_);
}

}  // namespace kutrace::reports
