// SPDX-License-Identifier: BSD-3-Clause
// Naming rows.
#include "reports/stat_groups.h"

#include <fmt/format.h>

#include "model/thread_label.h"

namespace kutrace::reports {

namespace {

constexpr const char* kIdleName = "idle";
constexpr const char* kNotToldName = "(lost or hidden)";

std::string name_of(const ThreadNames& who, std::uint32_t thread, StatBy by,
                    const TraceInfo& info) {
  const Pid pid = who.pid(thread);
  if (pid <= 0) return pid == 0 ? kIdleName : kNotToldName;
  if (by == StatBy::kThread) return who.label(thread, info);
  if (by == StatBy::kCgroup) return who.cgroup(thread);
  if (by == StatBy::kContainer) return who.cgroup(thread, CgroupPart::kContainer);
  if (by == StatBy::kPod) return who.cgroup(thread, CgroupPart::kPod);
  if (by == StatBy::kProcess) return who.process_label(thread, info);
  return name_label(who.process_name(thread, info));
}

std::string key_of(const ThreadNames& who, std::uint32_t thread, StatBy by,
                   const std::string& name) {
  if (by == StatBy::kThread) return fmt::format("{}", thread);
  const Process* const process = by == StatBy::kProcess ? who.process(thread) : nullptr;
  return process != nullptr ? fmt::format("process {}", static_cast<std::uint32_t>(process->id))
                            : name;
}

std::int64_t id_of(const ThreadNames& who, std::uint32_t thread, StatBy by, const TraceInfo& info) {
  const Pid pid = who.pid(thread);
  if (counts_threads(by)) return pid > 0 ? 1 : 0;
  return by == StatBy::kProcess && pid > 0 ? who.process_number(thread, info) : pid;
}

}  // namespace

StatGroup group_of(const ThreadNames& who, std::uint32_t thread, StatBy by, const TraceInfo& info) {
  std::string name = name_of(who, thread, by, info);
  std::string key = key_of(who, thread, by, name);
  return {std::move(key), std::move(name), id_of(who, thread, by, info)};
}

}  // namespace kutrace::reports
