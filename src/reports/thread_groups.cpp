// SPDX-License-Identifier: BSD-3-Clause
// Looking threads up.
#include "reports/thread_groups.h"

#include <fmt/format.h>

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

std::string number_label(const std::string& name, Pid number) {
  return name.empty() ? fmt::format("{}", number) : fmt::format("{}.{}", name, number);
}

std::string thread_label(Pid pid, const TraceInfo& info, const NameTable& names) {
  return number_label(thread_name(pid, info, names), pid);
}

std::string program_of(Pid pid, const TraceInfo& info, const NameTable& names) {
  const std::string name = thread_name(process_of(pid, info), info, names);
  return name.empty() ? "?" : name;
}

}  // namespace kutrace::reports
