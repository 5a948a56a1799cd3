// SPDX-License-Identifier: BSD-3-Clause
// Looking up names of rows.
#include "reports/thread_names.h"

#include "model/thread_label.h"
#include "reports/thread_groups.h"

namespace kutrace::reports {

std::uint32_t ThreadNames::life(const ThreadLife& life) {
  processes_.add(life);
  return rows_.life(life);
}

void ThreadNames::finish(const TraceInfo& info) {
  processes_.finish();
  cgroups_.emplace(processes_, info.facts);
  if (processes_.all().empty()) cgroups_of_table_ = cgroups_of_table(info);
}

std::string ThreadNames::cgroup(std::uint32_t row, CgroupPart part) const {
  return cgroup_label(cgroup_path(row), part);
}

std::string ThreadNames::cgroup_path(std::uint32_t row) const {
  const Process* const known = process(row);
  if (known != nullptr && cgroups_) return cgroups_->of(known->id);
  const auto in_table = cgroups_of_table_.find(pid(row));
  return in_table != cgroups_of_table_.end() ? in_table->second : std::string();
}

std::string ThreadNames::name(std::uint32_t row, const TraceInfo& info) const {
  const NameId lived = rows_.lived(row);
  if (lived != kNoName) return names_.text(lived);
  // What is known of a number at the end is of the last thread that had it.
  return rows_.is_last(row) ? thread_name(pid(row), info, names_) : std::string();
}

std::string ThreadNames::label(std::uint32_t row, const TraceInfo& info) const {
  return thread_label(name(row, info), pid(row), info.facts);
}

const Process* ThreadNames::process(std::uint32_t row) const {
  const ProcessId process = processes_.of(rows_.thread(row));
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

std::string ThreadNames::process_label(std::uint32_t row, const TraceInfo& info) const {
  return thread_label(process_name(row, info), process_number(row, info), info.facts);
}

}  // namespace kutrace::reports
