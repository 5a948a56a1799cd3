// SPDX-License-Identifier: BSD-3-Clause
// Which hooks a patched kernel calls, in words, and what then is no longer unseen.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>

#include "record/module/patched_calls.h"
#include "record/source/misses.h"

namespace kutrace {

namespace {

kutrace_hook_info hook(const char* name, int error) {
  kutrace_hook_info info{};
  info.error = error;
  std::strncpy(info.name, name, sizeof info.name - 1);
  return info;
}

}  // namespace

TEST_CASE("a kernel without the patch has tracepoints") {
  CHECK(record::hooks_text({hook("sys_enter", 0), hook("ipi_send_cpu", -ENOENT)}) == "tracepoints");
}

TEST_CASE("a kernel whose calls are all used is patched, whatever tracepoints it lacks") {
  const std::vector hooks{hook("ipi_send_cpu", -ENOENT), hook("patch_syscall", 0),
                          hook("patch_fault", 0)};
  CHECK(record::hooks_text(hooks) == "patch");
  CHECK(record::patched_calls(hooks) == std::vector<std::string>{"patch_syscall", "patch_fault"});
}

TEST_CASE("calls that are lacking or left out are named") {
  const std::vector hooks{hook("patch_syscall", 0), hook("patch_idle", -ENOENT),
                          hook("patch_packet", -ENOENT)};
  CHECK(record::hooks_text(hooks) == "patch, but tracepoints for idle, packet");
}

TEST_CASE("a kernel that calls at the scheduler shows its time") {
  const auto stock = record::never_seen();
  const std::vector<std::string> calls{"patch_sched"};
  const auto patched = record::never_seen(calls);
  CHECK(patched.size() + 1 == stock.size());
  CHECK(std::ranges::none_of(
      patched, [](const std::string& line) { return line.starts_with("the scheduler"); }));
}

}  // namespace kutrace
