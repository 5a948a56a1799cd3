// SPDX-License-Identifier: BSD-3-Clause
// Adding up by thread, stack and reason.
#include "reports/stack_profile.h"

#include <algorithm>
#include <tuple>

#include "base/add_time.h"
#include "format/event_table.h"
#include "model/thread_label.h"

namespace kutrace::reports {

void StackProfile::push(const Span& span) {
  const bool waits = span.kind == SpanKind::kWait;
  if (!waits && (span.kind != SpanKind::kSample || span.pid <= 0)) return;
  has_stacks_ = has_stacks_ || span.stack != kNoName;
  const char letter = waits ? static_cast<char>('a' + (span.event - ev::kWAIT_FIRST)) : '\0';
  Sum& sum = sums_[{who_.row(span.pid, span.thread), span.stack, letter}];
  ++sum.count;
  add_time(sum.time, span.duration);
}

std::vector<StackRow> StackProfile::rows(const TraceInfo& info, bool by_thread) const {
  std::map<std::tuple<std::string, Pid, NameId, char>, Sum> merged;
  for (const auto& [key, sum] : sums_) {
    const Pid pid = by_thread ? who_.pid(key.thread) : kNoPid;
    Sum& all = merged[{who_.name(key.thread, info), pid, key.stack, key.wait}];
    all.count += sum.count;
    add_time(all.time, sum.time);
  }
  std::vector<StackRow> rows;
  for (const auto& [key, sum] : merged) {
    const auto& [thread, pid, stack, wait] = key;
    const std::string label =
        by_thread ? thread_label(thread, pid, info.facts) : name_label(thread);
    rows.push_back({thread, pid, label, wait, names_.text(stack), sum.count, sum.time});
  }
  std::ranges::stable_sort(rows, [](const StackRow& a, const StackRow& b) {
    return std::tuple(-a.time, std::string_view(a.thread), std::string_view(a.stack)) <
           std::tuple(-b.time, std::string_view(b.thread), std::string_view(b.stack));
  });
  return rows;
}

}  // namespace kutrace::reports
