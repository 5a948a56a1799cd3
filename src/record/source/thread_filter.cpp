// SPDX-License-Identifier: BSD-3-Clause
// Names of users to numbers; what a source would refuse, as sentences.
#include "record/source/thread_filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <signal.h>

#include <cerrno>

#include "base/number_text.h"
#include "kutrace/control.h"
#include "record/proc/pid_namespace.h"

namespace kutrace::record {

namespace {

bool exists(std::uint32_t process) {
  return kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

}  // namespace

std::string ThreadFilter::text() const {
  std::string text;
  if (!processes.empty()) text = fmt::format("processes {}", fmt::join(processes, ","));
  if (user) text += fmt::format("{}user {}", text.empty() ? "" : "; ", *user);
  return text;
}

Result<std::uint32_t> user_number(const std::string& text) {
  if (const auto number = parse_number<std::uint32_t>(text)) return *number;
  const passwd* known = getpwnam(text.c_str());
  if (known == nullptr) return fail(usage_error(fmt::format("there is no user '{}'", text)));
  return known->pw_uid;
}

Status check_filter(const ThreadFilter& filter) {
  if (filter.processes.size() > KUTRACE_CONFIG_PIDS)
    return fail(usage_error(fmt::format("at most {} processes", KUTRACE_CONFIG_PIDS)));
  if (!filter.processes.empty() && !knows_kernel_pids())
    return fail(
        host_error("--pid needs the kernel's numbers, which are not known in a PID namespace")
            .with_hint("record outside of the container, or start it with --pid=host"));
  for (const std::uint32_t process : filter.processes)
    if (process == 0 || !exists(process))
      return fail(usage_error(fmt::format("there is no process {}", process)));
  return {};
}

}  // namespace kutrace::record
