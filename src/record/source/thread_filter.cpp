// SPDX-License-Identifier: BSD-3-Clause
// Names of users to numbers; what a source would refuse, as sentences; who passes at this moment.
#include "record/source/thread_filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "base/number_text.h"
#include "base/shell_pattern.h"
#include "files/small_file.h"
#include "record/proc/pid_namespace.h"
#include "record/proc/proc_folder.h"
#include "record/proc/task_seed.h"

namespace kutrace::record {

namespace {

constexpr std::size_t kNameBytes = 15;  // and a zero: longer names are cut by the kernel

bool exists(std::uint32_t process) {
  return kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

// What of a name counts: all of it with its end, or what stands before the *.
struct NamePattern {
  std::string text;
  bool is_prefix = false;

  // Of what check_name has passed.
  explicit NamePattern(const std::string& pattern) {
    const std::string cut = pattern_of_cut(pattern, kNameBytes);
    const TextOrBeginning means = text_or_beginning(cut).value_or(TextOrBeginning{cut});
    text = means.text;
    is_prefix = means.is_beginning;
  }
  bool fits(const std::string& name) const {
    return is_prefix ? name.starts_with(text) : name == text;
  }
};

kutrace_filter_name name_settings(const NamePattern& pattern) {
  kutrace_filter_name name{};
  const std::size_t bytes = pattern.text.size() + (pattern.is_prefix ? 0 : 1);
  std::memcpy(name.name, pattern.text.data(), pattern.text.size());
  std::memset(name.mask, 0xff, bytes);
  return name;
}

Status check_name(const std::string& name) {
  if (!name.empty() && text_or_beginning(name)) return {};
  return fail(
      usage_error(fmt::format("--comm '{}': give a name, or the beginning of one and a * at "
                              "the end",
                              name))
          .with_hint("a backslash takes *, ? and a comma as they are: '\\*'"));
}

// The first number of a line of /proc/PID/status. Behind "Uid:", it is the real user.
std::optional<std::uint32_t> number_behind(const std::string& key, const std::string& status) {
  const std::size_t at = status.find("\n" + key);
  if (at == std::string::npos) return std::nullopt;
  std::istringstream fields(status.substr(at + 1 + key.size()));
  std::uint32_t number = 0;
  return fields >> number ? std::optional(number) : std::nullopt;
}

Status check_process(std::uint32_t process) {
  if (process == 0 || !exists(process))
    return fail(
        usage_error(fmt::format("there is no process {}", process)).with_hint("ps -e lists them"));
  const auto whole =
      number_behind("Tgid:", files::read_text(fmt::format("/proc/{}/status", process)));
  if (!whole || *whole == process) return {};
  return fail(usage_error(fmt::format("{} is a thread of process {}", process, *whole))
                  .with_hint(fmt::format("give the process: {}", *whole)));
}

bool meets(const ThreadFilter& filter, std::uint32_t process, const SeedTask& first) {
  const std::string folder = "/proc/" + std::to_string(process);
  if (!filter.processes.empty() &&
      std::ranges::find(filter.processes, process) == filter.processes.end())
    return false;
  if (!filter.names.empty() && std::ranges::none_of(filter.names, [&](const std::string& name) {
        return NamePattern(name).fits(first.name);
      }))
    return false;
  if (filter.user && number_behind("Uid:", files::read_text(folder + "/status")) != filter.user)
    return false;
  if (filter.cgroups.empty()) return true;
  const std::string groups = files::read_text(folder + "/cgroup");
  return std::ranges::any_of(filter.cgroups,
                             [&](const CgroupFolder& group) { return is_below(groups, group); });
}

}  // namespace

std::string ThreadFilter::text() const {
  std::vector<std::string> parts;
  if (!processes.empty()) parts.push_back(fmt::format("processes {}", fmt::join(processes, ",")));
  if (user) parts.push_back(fmt::format("user {}", *user));
  if (!names.empty()) parts.push_back(fmt::format("names {}", fmt::join(names, ",")));
  std::vector<std::string> paths;
  for (const CgroupFolder& group : cgroups) paths.push_back(group.path);
  if (!paths.empty()) parts.push_back(fmt::format("groups {}", fmt::join(paths, ",")));
  if (follow) parts.emplace_back(parts.empty() ? "the command and its children" : "their children");
  return fmt::format("{}", fmt::join(parts, "; "));
}

kutrace_filter ThreadFilter::settings() const {
  kutrace_filter filter{};
  filter.flags =
      (user ? KUTRACE_FILTER_USER : 0) | (processes.empty() ? 0 : KUTRACE_FILTER_PROCESSES) |
      (names.empty() ? 0 : KUTRACE_FILTER_NAMES) | (cgroups.empty() ? 0 : KUTRACE_FILTER_CGROUPS) |
      (follow ? KUTRACE_FILTER_FOLLOW : 0);
  filter.uid = user.value_or(0);
  for (const std::string& name : names)
    filter.name[filter.names++] = name_settings(NamePattern(name));
  for (const CgroupFolder& group : cgroups)
    filter.cgroup[filter.cgroups++] = {group.id, group.level, 0};
  return filter;
}

std::vector<std::string> ThreadFilter::kept_names() const {
  std::vector<std::string> kept;
  for (const std::string& name : names) kept.push_back(pattern_of_cut(name, kNameBytes));
  return kept;
}

Result<std::uint32_t> user_number(const std::string& text) {
  if (const auto number = parse_number<std::uint32_t>(text)) return *number;
  const passwd* known = getpwnam(text.c_str());
  if (known == nullptr)
    return fail(usage_error(fmt::format("there is no user '{}'", text))
                    .with_hint("give a user's name or number"));
  return known->pw_uid;
}

Status check_filter(const ThreadFilter& filter) {
  if (filter.names.size() > KUTRACE_FILTER_MOST)
    return fail(usage_error(fmt::format("--comm: at most {} names", KUTRACE_FILTER_MOST)));
  for (const std::string& name : filter.names) KUTRACE_TRY(check_name(name));
  if ((!filter.processes.empty() || filter.follow) && !knows_kernel_pids())
    return fail(host_error("--pid and --follow need the kernel's numbers, which are not known in a "
                           "PID namespace")
                    .with_hint("record outside of the container, or start it with --pid=host"));
  for (const std::uint32_t process : filter.processes) KUTRACE_TRY(check_process(process));
  return {};
}

std::vector<std::uint32_t> passing_processes(const ThreadFilter& filter,
                                             const std::vector<std::uint32_t>& given) {
  std::unordered_set<std::uint32_t> passing(given.begin(), given.end());
  std::unordered_map<std::uint32_t, std::uint32_t> parents;
  for (const Pid number : numbers_in("/proc")) {
    const auto process = static_cast<std::uint32_t>(number);
    const auto first =
        parse_task_stat(files::read_line("/proc/" + std::to_string(process) + "/stat"));
    if (!first || first->kernel_thread) continue;
    parents[process] = static_cast<std::uint32_t>(first->parent);
    if (filter.has_criteria() && meets(filter, process, *first)) passing.insert(process);
  }
  for (bool more = filter.follow; more;) {
    more = false;
    for (const auto& [process, parent] : parents)
      if (passing.contains(parent) && passing.insert(process).second) more = true;
  }
  return {passing.begin(), passing.end()};
}

}  // namespace kutrace::record
