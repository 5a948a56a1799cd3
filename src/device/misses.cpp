// SPDX-License-Identifier: BSD-3-Clause
// The sentences.
#include "device/misses.h"

#include <array>

namespace kutrace {

namespace {

constexpr auto kNeverSeen = std::to_array<std::string_view>({
    "time taken by a hypervisor or by firmware",
    "kernel work before a system call's entry and after its return (seccomp, signals, task work)",
    "the scheduler's own time, which counts as the thread it leaves",
    "exceptions that raise no signal, and how long the others last",
    "interrupts without a tracepoint, and the begin of non-maskable ones",
});

}  // namespace

std::vector<std::string> misses_text(const Misses& misses) {
  std::vector<std::string> lines;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count != 0) lines.push_back(std::to_string(count) + " " + what);
  };
  add(misses.packets_unhashed, "packets whose payload could not be read in one piece");
  add(misses.inserts_refused, "user entries of a kind that programs may not insert");
  add(misses.inserts_unreadable, "user names whose memory was not present");
  add(misses.foreign_frequency, "frequency changes reported from another CPU");
  return lines;
}

std::span<const std::string_view> never_seen() { return kNeverSeen; }

}  // namespace kutrace
