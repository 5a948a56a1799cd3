// SPDX-License-Identifier: BSD-3-Clause
// Summing system calls.
#include "reports/syscalls.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "base/add_time.h"
#include "format/container_name.h"
#include "format/errno_name.h"
#include "model/thread_label.h"

namespace kutrace::reports {

namespace {

constexpr const char* kNoFile = "no file, or not known";

// The order of a heap whose first is the shortest; of equals, the earlier call is kept.
bool is_slower(const Call& a, const Call& b) {
  return a.duration() != b.duration() ? a.duration() > b.duration() : a.begin < b.begin;
}

// The most time first; of equals, the order is the same whatever form the trace has.
bool comes_first(const SyscallRow& a, const SyscallRow& b) {
  return std::tuple(-a.sums.total, b.sums.calls, std::string_view(a.call)) <
         std::tuple(-b.sums.total, a.sums.calls, std::string_view(b.call));
}

bool group_comes_first(const SyscallGroup& a, const SyscallGroup& b) {
  return std::tuple(-a.all.total, b.all.calls, std::string_view(a.name)) <
         std::tuple(-b.all.total, a.all.calls, std::string_view(b.name));
}

}  // namespace

std::uint64_t SyscallSums::failed() const {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : errors) sum += count;
  return sum;
}

void SyscallSums::add(const SyscallSums& other) {
  calls += other.calls;
  inferred += other.inferred;
  for (const auto& [name, count] : other.errors) errors[name] += count;
  add_time(total, other.total);
  add_time(on_cpu, other.on_cpu);
  add_time(unknown, other.unknown);
  add_waits(waits, other.waits);
  durations.merge(other.durations);
}

Syscalls::Syscalls(const NameTable& names, SyscallsBy by, std::size_t slowest, Wanted wanted)
    : names_(names), by_(by), most_slow_(slowest), wanted_(std::move(wanted)), who_(names) {}

void Syscalls::keep_if_slow(const Call& call, std::uint32_t thread) {
  if (most_slow_ == 0) return;
  const auto shortest_first = [](const Held& a, const Held& b) {
    return is_slower(a.call, b.call);
  };
  if (slow_.size() == most_slow_) {
    if (!is_slower(call, slow_.front().call)) return;
    std::ranges::pop_heap(slow_, shortest_first);
    slow_.pop_back();
  }
  slow_.push_back({call, thread, {call.waits.begin(), call.waits.end()}, {}});
  Held& held = slow_.back();
  if (call.details != nullptr) held.details = std::make_shared<const CallDetails>(*call.details);
  held.call.details = held.details.get();
  std::ranges::push_heap(slow_, shortest_first);
}

bool is_birth(const Call& call, const NameTable& names) {
  constexpr std::array<std::string_view, 4> kMakers = {"clone", "clone3", "fork", "vfork"};
  if (!call.begin_inferred || (call.has_result && low_bits(call.result) != 0)) return false;
  return std::ranges::find(kMakers, names.text(call.name)) != kMakers.end();
}

bool Syscalls::tells_threads() const {
  const bool groups_threads = by_ != SyscallsBy::kAll && by_ != SyscallsBy::kFile;
  return groups_threads || most_slow_ != 0;
}

std::uint32_t Syscalls::key_of(const Call& call, std::uint32_t thread) const {
  if (by_ == SyscallsBy::kAll) return 0;
  if (by_ != SyscallsBy::kFile) return thread;
  return call.details != nullptr ? call.details->file : kNoName;
}

void Syscalls::call(const Call& call) {
  if (call.kind != SpanKind::kSyscall || is_birth(call, names_) || (wanted_ && !wanted_(call)))
    return;
  const std::uint32_t thread = tells_threads() ? who_.row(call.pid, call.thread) : 0;
  SyscallSums& sums = sums_[{key_of(call, thread), call.name}];
  ++sums.calls;
  if (call.begin_inferred || call.end_inferred) ++sums.inferred;
  if (call.has_result) {
    const std::string_view error = errno_name(call.result.value);
    if (!error.empty()) ++sums.errors[std::string(error)];
  }
  add_time(sums.total, call.duration());
  add_time(sums.on_cpu, call.on_cpu);
  add_time(sums.unknown, call.unknown());
  for (const WaitTime& wait : call.waits) add_wait(sums.waits, wait.letter, wait.time);
  sums.durations.add(call.duration());
  keep_if_slow(call, thread);
}

void Syscalls::life(const ThreadLife& life) {
  if (tells_threads()) who_.life(life);
}

std::pair<std::uint64_t, std::string> Syscalls::group_of(std::uint32_t key,
                                                         const TraceInfo& info) const {
  if (by_ == SyscallsBy::kAll) return {};
  if (by_ == SyscallsBy::kFile) return {key, key == kNoName ? kNoFile : names_.text(key)};
  if (by_ == SyscallsBy::kCgroup) return {0, who_.cgroup(key)};
  if (by_ == SyscallsBy::kContainer) return {0, who_.cgroup(key, CgroupPart::kContainer)};
  if (by_ == SyscallsBy::kPod) return {0, who_.cgroup(key, CgroupPart::kPod)};
  if (by_ == SyscallsBy::kProgram) return {0, name_label(who_.process_name(key, info))};
  const Process* const process = by_ == SyscallsBy::kProcess ? who_.process(key) : nullptr;
  if (process == nullptr) return {key, who_.label(key, info)};
  return {static_cast<std::uint64_t>(process->id), who_.process_label(key, info)};
}

void Syscalls::end(TraceInfo& info) {
  who_.finish(info);
  std::map<std::pair<std::uint64_t, std::string>, std::map<NameId, SyscallSums>> by_group;
  for (const auto& [key, sums] : sums_) by_group[group_of(key.first, info)][key.second].add(sums);
  sums_.clear();
  for (const auto& [which, calls] : by_group) {
    SyscallGroup& group = groups_.emplace_back();
    group.name = which.second;
    for (const auto& [call, sums] : calls) {
      group.rows.push_back({names_.text(call), sums});
      group.all.add(sums);
    }
    std::ranges::stable_sort(group.rows, comes_first);
  }
  std::ranges::stable_sort(groups_, group_comes_first);
  std::ranges::sort(slow_, [](const Held& a, const Held& b) { return is_slower(a.call, b.call); });
  for (Held& held : slow_) {
    slowest_.push_back({held.call, names_.text(held.call.name), who_.label(held.thread, info),
                        std::move(held.waits), std::move(held.details)});
    slowest_.back().call.waits = {};
  }
  slow_.clear();
}

}  // namespace kutrace::reports
