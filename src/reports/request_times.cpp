// SPDX-License-Identifier: BSD-3-Clause
// Summing up segments.
#include "reports/request_times.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/add_time.h"
#include "reports/syscalls.h"

namespace kutrace::reports {

namespace {

bool comes_first(const RequestRow& a, const RequestRow& b) {
  return std::tuple(-a.sums.took, b.sums.durations.count(), a.id, std::string_view(a.name)) <
         std::tuple(-b.sums.took, a.sums.durations.count(), b.id, std::string_view(b.name));
}

}  // namespace

void RequestSums::add(const RequestSums& other) {
  durations.merge(other.durations);
  for (Ns RequestSums::* time :
       {&RequestSums::took, &RequestSums::user, &RequestSums::kernel, &RequestSums::interrupts}) {
    add_time(this->*time, other.*time);
  }
  add_waits(waits, other.waits);
  syscalls += other.syscalls;
  faults += other.faults;
}

RequestSums RequestSums::without(const RequestSums& some) const {
  RequestSums left;
  for (Ns RequestSums::* time :
       {&RequestSums::took, &RequestSums::user, &RequestSums::kernel, &RequestSums::interrupts}) {
    left.*time = this->*time - some.*time;
  }
  for (std::size_t i = 0; i < waits.size(); ++i) left.waits[i] = waits[i] - some.waits[i];
  left.syscalls = syscalls - some.syscalls;
  left.faults = faults - some.faults;
  return left;
}

RequestTimes::RequestTimes(const NameTable& names, std::vector<Interval> requests)
    : names_(names), requests_(std::move(requests)), who_(names) {
  std::ranges::sort(requests_, [](const Interval& a, const Interval& b) {
    return std::tuple(a.thread, a.begin, a.end) < std::tuple(b.thread, b.begin, b.end);
  });
  for (std::size_t i = 0; i < requests_.size();) {
    const ThreadId id = requests_[i].thread;
    Thread& thread = threads_.emplace_back();
    thread.first_request = i;
    thread.first = thread.near = edges_.size();
    for (; i < requests_.size() && requests_[i].thread == id; ++i) {
      rows_.push_back(who_.row(requests_[i].pid, id));
      edges_.push_back(requests_[i].begin);
      edges_.push_back(requests_[i].end);
    }
    const auto first = edges_.begin() + static_cast<std::ptrdiff_t>(thread.first);
    std::sort(first, edges_.end());
    edges_.erase(std::unique(first, edges_.end()), edges_.end());
    thread.last = edges_.size();
    const auto place = static_cast<std::size_t>(id);
    if (place >= by_id_.size()) by_id_.resize(place + 1);
    if (id != ThreadId::kNone) by_id_[place] = static_cast<std::uint32_t>(threads_.size());
  }
}

RequestTimes::Thread* RequestTimes::thread_of(ThreadId thread) {
  const auto place = static_cast<std::size_t>(thread);
  if (place >= by_id_.size() || by_id_[place] == 0) return nullptr;
  return &threads_[by_id_[place] - 1];
}

std::uint64_t& RequestTimes::cell(std::size_t column, std::size_t segment) {
  std::vector<std::uint64_t>& cells = columns_[column];
  if (cells.empty()) cells.resize(edges_.size());
  return cells[segment];
}

// The first edge that is not before that.
std::size_t RequestTimes::edge_at(const Thread& thread, Ns time) const {
  const auto first = edges_.begin() + static_cast<std::ptrdiff_t>(thread.first);
  const auto last = edges_.begin() + static_cast<std::ptrdiff_t>(thread.last);
  return static_cast<std::size_t>(std::lower_bound(first, last, time) - edges_.begin());
}

// What comes next mostly begins in the segment of what came last, or in the next one.
void RequestTimes::add(Thread& thread, std::size_t column, Ns begin, Ns end) {
  std::size_t i = thread.near;
  if (i + 2 < thread.last && edges_[i + 1] <= begin) ++i;
  if (edges_[i] > begin || (i + 2 < thread.last && edges_[i + 1] <= begin)) {
    const std::size_t edge = edge_at(thread, begin);
    const bool is_edge = edge < thread.last && edges_[edge] == begin;
    i = is_edge || edge == thread.first ? edge : edge - 1;
  }
  thread.near = i;
  for (; i + 1 < thread.last && edges_[i] < end; ++i) {
    const Ns inside = std::min(end, edges_[i + 1]) - std::max(begin, edges_[i]);
    if (inside > 0) cell(column, i) += static_cast<std::uint64_t>(inside);
  }
}

// What happens when a segment ends is of it.
void RequestTimes::count(Thread& thread, std::size_t column, Ns at) {
  const std::size_t edge = edge_at(thread, at);
  if (edge != thread.first && edge != thread.last) ++cell(column, edge - 1);
}

void RequestTimes::push(const Span& span) {
  const bool executes = is_execution(span.kind);
  if (!executes && span.kind != SpanKind::kWait) return;
  Thread* const thread = thread_of(span.thread);
  if (thread == nullptr) return;
  std::size_t column = kKernel;
  if (!executes) {
    const auto letter = static_cast<std::size_t>(wait_letter(span.event) - 'a');
    if (letter >= std::tuple_size_v<WaitTimes>) return;
    column = kWaits + letter;
  } else if (is_user(span.kind)) {
    column = kUser;
  } else if (is_interrupt(span.kind)) {
    column = kInterrupts;
  }
  add(*thread, column, span.start, span.start + span.duration);
}

void RequestTimes::call(const Call& call) {
  if (call.kind != SpanKind::kSyscall && call.kind != SpanKind::kTrap) return;
  if (call.kind == SpanKind::kSyscall && is_birth(call, names_)) return;
  Thread* const thread = thread_of(call.thread);
  if (thread == nullptr) return;
  count(*thread, call.kind == SpanKind::kSyscall ? kSyscalls : kFaults, call.end);
}

void RequestTimes::end(TraceInfo& info) {
  for (std::vector<std::uint64_t>& cells : columns_) {
    std::exclusive_scan(cells.begin(), cells.end(), cells.begin(), std::uint64_t{0});
  }
  for (std::size_t i = 0; i < requests_.size(); ++i) add_to(all_, i);
  who_.finish(info);
}

void RequestTimes::add_to(RequestSums& sums, std::size_t request) const {
  const Interval& interval = requests_[request];
  const auto thread =
      std::prev(std::ranges::upper_bound(threads_, request, {}, &Thread::first_request));
  const std::size_t begin = edge_at(*thread, interval.begin);
  const std::size_t end = edge_at(*thread, interval.end);
  const auto sum = [&](std::size_t column) {
    const std::vector<std::uint64_t>& cells = columns_[column];
    return cells.empty() ? 0 : cells[end] - cells[begin];
  };
  const auto time = [&](std::size_t column) { return static_cast<Ns>(sum(column)); };
  sums.durations.add(interval.duration());
  add_time(sums.took, interval.duration());
  add_time(sums.user, time(kUser));
  add_time(sums.kernel, time(kKernel));
  add_time(sums.interrupts, time(kInterrupts));
  for (std::size_t i = 0; i < sums.waits.size(); ++i) add_time(sums.waits[i], time(kWaits + i));
  sums.syscalls += sum(kSyscalls);
  sums.faults += sum(kFaults);
}

RequestSums RequestTimes::sums(std::size_t request) const {
  RequestSums sums;
  add_to(sums, request);
  return sums;
}

std::string RequestTimes::thread(std::size_t request, const TraceInfo& info) const {
  return group_of(who_, rows_[request], StatBy::kThread, info).name;
}

std::vector<RequestRow> RequestTimes::rows(StatBy by, const TraceInfo& info) const {
  std::map<std::uint32_t, RequestSums> by_thread;
  RequestSums* sums = nullptr;  // those of a thread come one after the other
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (i == 0 || rows_[i] != rows_[i - 1]) sums = &by_thread[rows_[i]];
    add_to(*sums, i);
  }
  std::map<std::string, RequestRow> groups;
  for (const auto& [thread, all_of_it] : by_thread) {
    const StatGroup of = group_of(who_, thread, by, info);
    const auto [group, added] = groups.try_emplace(of.key, RequestRow{of.name, of.id, {}});
    if (!added && counts_threads(by)) group->second.id += of.id;
    group->second.sums.add(all_of_it);
  }
  std::vector<RequestRow> rows;
  for (auto& [key, row] : groups) rows.push_back(std::move(row));
  std::ranges::sort(rows, comes_first);
  return rows;
}

}  // namespace kutrace::reports
