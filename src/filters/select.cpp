// SPDX-License-Identifier: BSD-3-Clause
// Hiding what was not asked for.
#include "filters/select.h"

#include "base/counted.h"

namespace kutrace::filters {

Select::Select(Selection selection, NameTable& names, SpanSink& next)
    : SpanFilter(next), selection_(std::move(selection)), hidden_name_(names.intern(kHiddenName)) {}

void Select::push(const Span& span) {
  woken_.follow(selection_.threads, span);
  if (is_execution(span.kind)) {
    if (selection_.wants_cpu(span.cpu)) execution(span);
  } else if (wants_overlay(span)) {
    next().push(span);
  }
}

void Select::show_hidden(CpuId cpu, Hidden& hidden) {
  if (hidden.start < hidden.end) {
    next().push(hidden_span(cpu, hidden.start, hidden.end, hidden_name_));
  }
  hidden.start = hidden.end;
}

void Select::execution(const Span& span) {
  const bool already_hidden = span.kind == SpanKind::kHidden;
  const bool wanted =
      span.kind == SpanKind::kLoss ||
      (!already_hidden && selection_.wants_thread(span.pid, span.thread) && wants_group(span));
  Hidden& hidden = hidden_[span.cpu];
  if (wanted) {
    show_hidden(span.cpu, hidden);
    next().push(span);
    return;
  }
  if (hidden.start == hidden.end) hidden.start = span.start;
  hidden.end = span.start + span.duration;
}

bool Select::wants_overlay(const Span& span) const {
  if (!wants_group(span)) return false;
  if (is_arc(span.kind)) {
    const bool other_end =
        span.kind == SpanKind::kWakeupArc && selection_.wants_thread(span.other, woken_.of(span));
    return selection_.wants_cpu(span.cpu) && selection_.wants_cpu(span.low_arg()) &&
           (selection_.wants_thread(span.pid, span.thread) || other_end);
  }
  if (span.kind == SpanKind::kMessage) return true;
  if (span.pid != kNoPid && !selection_.wants_thread(span.pid, span.thread)) return false;
  if (span.cpu != kNoCpu) return selection_.wants_cpu(span.cpu);
  return span.pid == kNoPid || selection_.ran_on_cpus(span.pid, span.thread);
}

void Select::finish(TraceInfo& info) {
  for (auto& [cpu, hidden] : hidden_) show_hidden(cpu, hidden);
  std::string what;
  if (selection_.cpus) what += " " + counted(selection_.cpus->size(), "CPU", "CPUs");
  if (selection_.threads) what += " " + counted(selection_.threads->count(), "thread", "threads");
  if (selection_.groups) what += " event groups";
  note_filter(info, "only" + what);
  std::erase_if(info.cpus, [this](CpuId cpu) { return !selection_.wants_cpu(cpu); });
  std::erase_if(info.losses,
                [this](const LossRecord& loss) { return !selection_.wants_cpu(loss.cpu); });
}

}  // namespace kutrace::filters
