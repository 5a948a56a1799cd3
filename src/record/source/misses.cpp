// SPDX-License-Identifier: BSD-3-Clause
// The sentences.
#include "record/source/misses.h"

#include <algorithm>
#include <array>

namespace kutrace::record {

namespace {

struct NeverSeen {
  std::string_view text;
  std::string_view unless;  // the call of a patched kernel that does show it
};

constexpr auto kNeverSeen = std::to_array<NeverSeen>({
    {"time taken by a hypervisor or by firmware", ""},
    {"kernel work before a system call's entry and after its return (seccomp, signals, task work)",
     ""},
    {"the scheduler's own time, which counts as the thread it leaves", "patch_sched"},
    {"exceptions that raise no signal, and how long the others last", "patch_trap"},
    {"interrupts without a tracepoint", "patch_irq"},
    {"the begin of non-maskable interrupts", "patch_nmi"},
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
  add(misses.stacks_lost, "stacks for which there was no room");
  add(misses.marks_lost, "marks in buffers of programs that could not be read in time");
  add(misses.group_moves_lost, "moves of processes to other control groups");
  return lines;
}

std::string no_counters(const std::string& why) {
  return "instructions per cycle and cache misses (" + why + ")";
}

std::vector<std::string> never_seen(std::span<const std::string> calls) {
  std::vector<std::string> lines;
  for (const NeverSeen& what : kNeverSeen)
    if (std::ranges::find(calls, what.unless) == calls.end()) lines.emplace_back(what.text);
  return lines;
}

}  // namespace kutrace::record
