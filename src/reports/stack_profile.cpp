// SPDX-License-Identifier: BSD-3-Clause
// Adding up by thread, stack and reason.
#include "reports/stack_profile.h"

#include <algorithm>
#include <tuple>

#include "base/add_time.h"
#include "format/event_table.h"

namespace kutrace::reports {

void StackProfile::push(const Span& span) {
  const bool waits = span.kind == SpanKind::kWait;
  if (!waits && (span.kind != SpanKind::kSample || span.pid <= 0)) return;
  has_stacks_ = has_stacks_ || span.stack != kNoName;
  const char letter = waits ? static_cast<char>('a' + (span.event - ev::kWAIT_FIRST)) : '\0';
  Sum& sum = sums_[{threads_.index(span.pid, span.thread), span.stack, letter}];
  ++sum.count;
  add_time(sum.time, span.duration);
}

void StackProfile::life(const ThreadLife& life) {
  const std::uint32_t row = threads_.index(life.pid, life.thread);
  if (row >= lived_.size()) lived_.resize(row + std::size_t{1}, kNoName);
  lived_[row] = life.name;
}

// What is known of a number at the end is of the last thread that had it.
std::string StackProfile::name_of(std::uint32_t thread, const TraceInfo& info) const {
  const auto found = info.threads.find(threads_.at(thread).pid);
  if (threads_.is_last(thread) && found != info.threads.end() && found->second.name != kNoName)
    return names_.text(found->second.name);
  return thread < lived_.size() ? names_.text(lived_[thread]) : std::string();
}

std::vector<StackRow> StackProfile::rows(const TraceInfo& info, bool by_thread) const {
  std::map<std::tuple<std::string, Pid, NameId, char>, Sum> merged;
  for (const auto& [key, sum] : sums_) {
    const Pid pid = by_thread ? threads_.at(key.thread).pid : kNoPid;
    Sum& all = merged[{name_of(key.thread, info), pid, key.stack, key.wait}];
    all.count += sum.count;
    add_time(all.time, sum.time);
  }
  std::vector<StackRow> rows;
  for (const auto& [key, sum] : merged) {
    const auto& [thread, pid, stack, wait] = key;
    rows.push_back({thread, pid, wait, names_.text(stack), sum.count, sum.time});
  }
  std::ranges::stable_sort(rows, [](const StackRow& a, const StackRow& b) {
    return std::tuple(-a.time, std::string_view(a.thread), std::string_view(a.stack)) <
           std::tuple(-b.time, std::string_view(b.thread), std::string_view(b.stack));
  });
  return rows;
}

}  // namespace kutrace::reports
