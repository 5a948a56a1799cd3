// SPDX-License-Identifier: BSD-3-Clause
// Threads of a trace and what they and their processes are called. In: threads as spans name them,
// and their lives; out: a row for each, its name and number, its process. Both are the last ones
// that a thread had; threads that had one number in turn have each their own. Memory grows with
// threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "format/container_name.h"
#include "model/call.h"
#include "model/cgroups.h"
#include "model/names.h"
#include "model/processes.h"
#include "model/trace_info.h"
#include "model/whole_threads.h"

namespace kutrace::reports {

class ThreadNames {
 public:
  explicit ThreadNames(const NameTable& names) : names_(names) {}

  // As WholeThreads has them.
  std::uint32_t row(Pid pid, ThreadId thread = ThreadId::kNone) { return rows_.index(pid, thread); }
  Pid pid(std::uint32_t row) const { return rows_.pid(row); }
  // Its row.
  std::uint32_t life(const ThreadLife& life);
  // After the last life.
  void finish(const TraceInfo& info);

  std::string name(std::uint32_t row, const TraceInfo& info) const;
  std::string label(std::uint32_t row, const TraceInfo& info) const;
  // Null where the trace does not tell of its life.
  const Process* process(std::uint32_t row) const;
  Pid process_number(std::uint32_t row, const TraceInfo& info) const;
  std::string process_name(std::uint32_t row, const TraceInfo& info) const;
  std::string process_label(std::uint32_t row, const TraceInfo& info) const;
  // Path of the control group of its process; empty: the trace does not tell.
  std::string cgroup_path(std::uint32_t row) const;
  // What is shown of it; "?" where the trace does not tell.
  std::string cgroup(std::uint32_t row, CgroupPart part = CgroupPart::kPath) const;

 private:
  const NameTable& names_;
  WholeThreads rows_;
  Processes processes_;
  std::optional<Cgroups> cgroups_;
  std::map<Pid, std::string> cgroups_of_table_;  // of a trace without lives
};

}  // namespace kutrace::reports
