// SPDX-License-Identifier: BSD-3-Clause
// Looking threads up.
#include "reports/thread_groups.h"

#include <fmt/format.h>

#include "format/machine_fact.h"

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

std::string number_label(const std::string& name, Pid number, const Facts& facts) {
  const std::string host = host_of_thread(number, facts);
  return fmt::format("{}{}{}{}{}", name, name.empty() ? "" : ".", number, host.empty() ? "" : "@",
                     host);
}

}  // namespace kutrace::reports
