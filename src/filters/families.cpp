// SPDX-License-Identifier: BSD-3-Clause
// Walking from parents to children.
#include "filters/families.h"

#include <algorithm>

namespace kutrace::filters {

std::unordered_set<Pid> family_of(const std::map<Pid, ThreadInfo>& threads,
                                  const std::unordered_set<Pid>& pids, bool children) {
  std::unordered_set<Pid> family = pids;
  std::unordered_set<Pid> processes = pids;
  for (const Pid pid : pids) {
    const auto thread = threads.find(pid);
    if (thread != threads.end() && thread->second.process > 0) {
      processes.insert(thread->second.process);
    }
  }
  // A parent may have a higher number than its child, so until nothing changes.
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [pid, thread] : threads) {
      const bool child = children && thread.parent > 0 && processes.contains(thread.parent);
      if (!child && !pids.contains(thread.process)) continue;
      grew |= family.insert(pid).second;
      if (thread.process > 0) grew |= processes.insert(thread.process).second;
    }
  }
  return family;
}

bool knows_parents(const std::map<Pid, ThreadInfo>& threads) {
  return std::any_of(threads.begin(), threads.end(),
                     [](const auto& thread) { return thread.second.parent > 0; });
}

}  // namespace kutrace::filters
