// SPDX-License-Identifier: BSD-3-Clause
// Threads that belong together: ids enter, leave all threads of those processes and, if asked for,
// of their children's.
#pragma once

#include <map>
#include <unordered_set>

#include "model/trace_info.h"

namespace kutrace::filters {

// A pid stands for the thread and, where the trace says which threads a process has, for all
// threads of the process with that id.
std::unordered_set<Pid> family_of(const std::map<Pid, ThreadInfo>& threads,
                                  const std::unordered_set<Pid>& pids, bool children);

// Whether the trace says of any thread who its parent is.
bool knows_parents(const std::map<Pid, ThreadInfo>& threads);

}  // namespace kutrace::filters
