// SPDX-License-Identifier: BSD-3-Clause
// Lives of threads to processes.
#include "model/processes.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace kutrace {

Pid Processes::number_of(const ThreadLife& life) {
  return life.process != kNoPid ? life.process : life.pid;
}

void Processes::add(const ThreadLife& life) { lives_.push_back(life); }

ProcessId Processes::of(ThreadId thread) const {
  const auto place = static_cast<std::size_t>(thread);
  return place < of_thread_.size() ? of_thread_[place] : ProcessId::kNone;
}

ProcessId Processes::maker(const Process& process) const {
  const auto parents = of_number_.find(process.parent);
  if (process.parent <= 0 || parents == of_number_.end()) return ProcessId::kNone;
  const auto later = std::ranges::partition_point(
      parents->second, [&](ProcessId parent) { return at(parent).begin <= process.begin; });
  return later == parents->second.begin() ? ProcessId::kNone : *std::prev(later);
}

bool Processes::has(const Process& process, ThreadId thread) const {
  return thread != ThreadId::kNone && of(thread) == process.id;
}

Process& Processes::begin(const ThreadLife& life) {
  Process& process = all_.emplace_back();
  process.id = ProcessId{static_cast<std::uint32_t>(all_.size())};
  process.number = number_of(life);
  process.parent = life.parent;
  process.begin = life.begin;
  process.end = life.end;
  return process;
}

// A thread that got another number has several lives here.
void Processes::join(Process& process, const ThreadLife& life) {
  process.begin = std::min(process.begin, life.begin);
  process.end = std::max(process.end, life.end);
  if (life.pid == process.number) process.name = life.name;
  if (life.parent != kNoPid) process.parent = life.parent;
  if (has(process, life.thread)) return;
  const auto place = static_cast<std::size_t>(life.thread);
  if (place >= of_thread_.size()) of_thread_.resize(place + 1);
  of_thread_[place] = process.id;
  process.threads.push_back(life.thread);
}

void Processes::finish() {
  std::ranges::sort(lives_, {}, [](const ThreadLife& life) {
    return std::tuple(number_of(life), life.begin, life.pid != number_of(life), life.thread);
  });
  bool led = false;  // a thread with the number of the last process was seen
  for (const ThreadLife& life : lives_) {
    const bool leads = life.pid == number_of(life);
    const bool is_other = all_.empty() || all_.back().number != number_of(life) ||
                          (leads && led && !has(all_.back(), life.thread));
    if (is_other) led = false;
    Process& process = is_other ? begin(life) : all_.back();
    join(process, life);
    led = led || leads;
  }
  lives_ = {};
  number_in_order();
}

void Processes::number_in_order() {
  std::ranges::stable_sort(all_, {}, &Process::begin);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    all_[i].id = ProcessId{static_cast<std::uint32_t>(i + 1)};
    of_number_[all_[i].number].push_back(all_[i].id);
    for (const ThreadId thread : all_[i].threads) {
      of_thread_[static_cast<std::size_t>(thread)] = all_[i].id;
    }
  }
}

Processes processes_of(const std::vector<ThreadLife>& lives) {
  Processes processes;
  for (const ThreadLife& life : lives) processes.add(life);
  processes.finish();
  return processes;
}

}  // namespace kutrace
