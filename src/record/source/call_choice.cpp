// SPDX-License-Identifier: BSD-3-Clause
// Names and groups of system calls to their numbers.
#include "record/source/call_choice.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/shell_pattern.h"
#include "format/syscall_arguments.h"
#include "format/syscall_names.h"

namespace kutrace::record {

namespace {

// Those whose arguments do not say it.
constexpr auto kGroups = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"process", "clone* fork vfork execve* exit* wait* kill tkill tgkill pidfd_* setns unshare"},
    {"memory",
     "mmap munmap mprotect mremap madvise brk msync mlock* munlock* mincore membarrier "
     "mbind set_mempolicy* get_mempolicy move_pages migrate_pages pkey_* memfd_* "
     "process_madvise process_mrelease remap_file_pages userfaultfd mseal"},
    {"net",
     "socket* bind connect listen accept* getsockname getpeername send* recv* shutdown "
     "setsockopt getsockopt"},
    {"signal", "rt_sig* kill tkill tgkill sigaltstack signalfd* pause pidfd_send_signal"},
});

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    if (space != 0) all.emplace_back(text.substr(0, space));
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return all;
}

bool takes(std::string_view call, std::initializer_list<ArgumentKind> kinds) {
  const std::vector<CallArgument>* arguments = arguments_of(call);
  return arguments != nullptr &&
         std::ranges::any_of(*arguments, [&kinds](const CallArgument& argument) {
           return std::ranges::find(kinds, argument.kind) != kinds.end();
         });
}

bool belongs(const std::string& call, const std::string& name) {
  if (name == "file") return takes(call, {ArgumentKind::kPath});
  if (name == "desc") return takes(call, {ArgumentKind::kDescriptor, ArgumentKind::kFolder});
  for (const auto& [group, patterns] : kGroups) {
    if (name == group) return fits_any(words(patterns), call);
  }
  return fits(name, call);
}

}  // namespace

Result<std::vector<std::uint32_t>> choose_calls(const std::vector<std::string>& names) {
  std::vector<bool> chosen(KUTRACE_CALLS);
  const auto choose = [&chosen](const std::string& name) {
    bool found = false;
    for (const auto& [number, call] : syscall_names(kArgumentsMachine)) {
      if (number >= KUTRACE_CALLS || arguments_of(call) == nullptr || !belongs(call, name))
        continue;
      chosen[number] = true;
      found = true;
    }
    return found;
  };
  if (names.empty()) choose("*");
  for (const std::string& name : names) {
    if (choose(name)) continue;
    return fail(usage_error("there is no system call '" + name + "', nor a group of that name")
                    .with_hint("groups: file desc net process memory signal; * and ? stand for "
                               "anything in a name"));
  }
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; number < KUTRACE_CALLS; ++number) {
    if (chosen[number]) numbers.push_back(number);
  }
  return numbers;
}

Status check_arguments_known(const CallChoice& choice) {
  utsname host{};
  if (!choice.is_set() || (uname(&host) == 0 && host.machine == kArgumentsMachine)) return {};
  return fail(usage_error(
      fmt::format("arguments of system calls can be recorded only on {}", kArgumentsMachine)));
}

}  // namespace kutrace::record
