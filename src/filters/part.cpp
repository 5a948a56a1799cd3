// SPDX-License-Identifier: BSD-3-Clause
// Putting filters in a row, and calls and lives beside them.
#include "filters/part.h"

#include <algorithm>
#include <utility>

namespace kutrace::filters {

bool has_call(const std::vector<TimeWindow>& windows, const Selection& selection,
              const Call& call) {
  return lies_in(windows, call.begin) && selection.wants_thread(call.pid, call.thread) &&
         selection.wants_cpu(call.cpu);
}

Part::Part(std::vector<TimeWindow> windows, Selection selection, NameTable& names, SpanSink& sink,
           Use use)
    : windows_(std::move(windows)),
      selection_(std::move(selection)),
      use_(use),
      is_part_(!windows_.empty() || !selection_.everything()),
      sink_(sink),
      cut_(windows_, sink),
      head_(&sink) {
  const bool is_of_windows = use_ != Use::kUncut && !holds_gaps();
  if (windows_.size() > 1 && is_of_windows) head_ = &cut_;
  if (!selection_.everything()) head_ = &select_.emplace(selection_, names, *head_);
  if (windows_.empty()) return;
  trim_.emplace(windows_, std::nullopt, names, *head_);
  if (use_ != Use::kUncut) head_ = &*trim_;
}

void Part::end(TraceInfo& info) {
  groups_.add_to(info.facts);
  SpanSink& first = trim_ ? *trim_ : *head_;
  first.end(info);
}

void Part::push(const Span& span) {
  if (!holds_gaps()) woken_.follow(selection_.threads, span);
  const bool begins = is_arc(span.kind) || span.duration == 0;
  if (begins && !lies_in(windows_, span.start)) return;
  const bool is_wakeup = span.kind == SpanKind::kWakeupArc && !holds_gaps();
  if (is_wakeup && !selection_.wants_thread(span.other, woken_.of(span))) return;
  if (selection_.threads && is_interrupt(span.kind) &&
      selection_.wants_thread(span.pid, span.thread))
    interrupts_.insert(span.call);
  head_->push(span);
}

void Part::Cut::push(const Span& span) {
  if (span.kind != SpanKind::kHidden) return next().push(span);
  each_part(windows_, span.start, span.start + span.duration, [&](Ns from, Ns to) {
    Span part = span;
    part.start = from;
    part.duration = to - from;
    next().push(part);
  });
}

// An interrupt is the CPU's; it is of the part if it interrupted a chosen thread.
bool Part::wants(const Call& call) {
  if (!selection_.threads || !is_interrupt(call.kind)) return has_call(windows_, selection_, call);
  return interrupts_.erase(call.id) != 0 && lies_in(windows_, call.begin) &&
         selection_.wants_cpu(call.cpu);
}

void Part::call(const Call& call) {
  if (!wants(call)) return;
  const bool is_cut = use_ == Use::kTimeline && !windows_.empty() && call.end > windows_.back().end;
  if (!is_cut) return sink_.call(call);
  // As one that is under way when a recording ends.
  Call begun = call;
  begun.end = windows_.back().end;
  begun.has_result = false;
  begun.end_inferred = true;
  sink_.call(begun);
}

void Part::life(const ThreadLife& life) {
  const bool is_chosen = selection_.wants_thread(life.pid, life.thread);
  const bool on_cpus = selection_.ran_on_cpus(life.pid, life.thread);
  const bool in_windows = windows_.empty() || overlaps(windows_, life.begin, life.end);
  const bool is_of_part = is_chosen && on_cpus && in_windows;
  const bool tells_names = is_chosen && use_ != Use::kRows && !holds_gaps();
  if (is_part_) groups_.life(life, is_of_part || tells_names);
  if (is_of_part) return sink_.life(life);
  if (!tells_names) return;
  ThreadLife outside = life;
  outside.executing = 0;
  outside.waiting = 0;
  sink_.life(outside);
}

}  // namespace kutrace::filters
