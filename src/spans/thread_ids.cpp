// SPDX-License-Identifier: BSD-3-Clause
// Numbers of threads in foreign traces.
#include "spans/thread_ids.h"

namespace kutrace::spans {

namespace {

constexpr Pid kLow16 = 0xffff;

}  // namespace

ThreadIds::ThreadIds(const timeline::StreamFacts& facts) : own_source_(facts.own_source) {
  for (const Pid pid : facts.whole_pids) {
    const auto [place, is_new] = wide_.try_emplace(pid & kLow16, pid);
    // Two threads that differ above the 16 bits cannot be told apart.
    if (!is_new) place->second = pid & kLow16;
  }
}

void ThreadIds::saw_name(std::string_view name) { free_bsd_ |= name.starts_with("idle:"); }

bool ThreadIds::is_idle_name(Pid pid, std::string_view name) {
  // Any program may name itself so; what this project records has idle as thread 0 only.
  if (own_source_ || (!name.starts_with("idle:") && !name.starts_with("swapper/"))) return false;
  idle_aliases_.insert(pid);
  return true;
}

Pid ThreadIds::whole(std::uint32_t said) const {
  // FreeBSD's headers hold other numbers, not more bits of the same.
  const auto found = free_bsd_ ? wide_.end() : wide_.find(static_cast<Pid>(said));
  return found != wide_.end() ? found->second : static_cast<Pid>(said);
}

Pid ThreadIds::of_header(std::uint32_t said) const {
  constexpr std::uint32_t kFreeBsdFirst = 100'000;
  if (own_source_) return static_cast<Pid>(said);
  if (free_bsd_ && said >= kFreeBsdFirst) return static_cast<Pid>(said - kFreeBsdFirst);
  return whole(said & kLow16);
}

}  // namespace kutrace::spans
