// SPDX-License-Identifier: BSD-3-Clause
// Looking threads up.
#include "reports/thread_groups.h"

namespace kutrace::reports {

Pid process_of(Pid pid, const TraceInfo& info) {
  const auto thread = info.threads.find(pid);
  const bool known = thread != info.threads.end() && thread->second.process != kNoPid;
  return known ? thread->second.process : pid;
}

std::string thread_name(Pid pid, const TraceInfo& info, const NameTable& names) {
  const auto thread = info.threads.find(pid);
  return thread == info.threads.end() ? std::string() : names.text(thread->second.name);
}

}  // namespace kutrace::reports
