// SPDX-License-Identifier: BSD-3-Clause
// Comparing as the stream comes.
#include "reports/comparison.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "base/add_time.h"
#include "reports/name_rows.h"

namespace kutrace::reports {

namespace {

std::vector<TimeWindow> windows_of(const std::vector<Interval>& slow,
                                   const std::vector<Interval>& others) {
  std::vector<TimeWindow> windows;
  for (const std::vector<Interval>* intervals : {&slow, &others}) {
    for (const Interval& interval : *intervals) windows.push_back({interval.begin, interval.end});
  }
  return tidy_windows(std::move(windows), -kForever, kForever);
}

double a_piece(Ns time, std::uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(time) / static_cast<double>(count);
}

}  // namespace

double Comparison::more(const ComparedCause& cause) const {
  return a_piece(cause.slow, slow) - a_piece(cause.others, others);
}

ComparisonSink::ComparisonSink(const std::vector<Interval>& slow,
                               const std::vector<Interval>& others, const NameTable& texts,
                               std::size_t batch)
    : slow_(slow),
      others_(others),
      batch_(batch),
      happenings_(windows_of(slow, others), texts),
      next_(batch) {
  for (const Interval& interval : slow) asked_.push_back({.interval = interval, .is_slow = true});
  for (const Interval& interval : others) asked_.push_back({.interval = interval});
  std::ranges::stable_sort(asked_, {}, [](const Asked& asked) { return asked.interval.end; });
  Ns first = kForever;
  for (Asked& asked : std::views::reverse(asked_)) {
    first = std::min(first, asked.interval.begin);
    asked.first = first;
  }
}

void ComparisonSink::begin(const TraceInfo& known) {
  happenings_.begin(known);
  for (const CpuId cpu : known.cpus) {
    if (cpu >= ends_.size()) ends_.resize(cpu + std::size_t{1}, kForever);
    ends_[cpu] = known.begin;
  }
}

Ns ComparisonSink::reached() const {
  return ends_.empty() ? -kForever : *std::ranges::min_element(ends_);
}

void ComparisonSink::push(const Span& span) {
  happenings_.push(span);
  if (is_execution(span.kind)) {
    if (span.cpu >= ends_.size()) ends_.resize(span.cpu + std::size_t{1}, kForever);
    ends_[span.cpu] = span.start + span.duration;
  }
  if (happenings_.pieces().size() < next_) return;
  // Waits come late, as the parts of a page hold them behind what its CPUs did.
  tell(complete_);
  complete_ = reached();
  const std::size_t kept = happenings_.pieces().size();
  next_ = kept + std::max(batch_, kept / 2);
}

void ComparisonSink::end(TraceInfo& info) {
  happenings_.end(info);
  tell(kForever);
}

// Those that end before `until`.
void ComparisonSink::tell(Ns until) {
  if (told_ == asked_.size() || asked_[told_].interval.end >= until) return;
  happenings_.arrange();
  CriticalPath path(happenings_);
  while (told_ < asked_.size() && asked_[told_].interval.end < until) add(asked_[told_++], path);
  const Ns needed = told_ < asked_.size() ? asked_[told_].first : kForever;
  happenings_.forget(std::min(needed, until) - CriticalPath::kLooksBack);
}

void ComparisonSink::add(const Asked& asked, CriticalPath& path) {
  const ThreadRow own = happenings_.row_of(asked.interval.pid, asked.interval.thread);
  path.walk(asked.interval, [&](const PathPiece& piece) {
    Cause cause = piece.cause;
    cause.cpu = kNoCpu;
    if (cause.thread == own) cause.thread = kNoRow;
    const auto [place, added] = places_.find_or_add(cause);
    if (added) sums_.push_back({.cause = cause});
    ComparedCause& sum = sums_[place];
    add_time(asked.is_slow ? sum.slow : sum.others, piece.duration());
  });
}

Comparison ComparisonSink::comparison() {
  Comparison comparison{
      .slow = slow_.size(), .others = others_.size(), .threads = {}, .causes = {}};
  for (const Interval& interval : slow_) {
    add_time(comparison.slow_time, interval.duration());
    comparison.threads.push_back(happenings_.row_of(interval.pid, interval.thread));
  }
  for (const Interval& interval : others_) add_time(comparison.others_time, interval.duration());
  NameRows rows(happenings_);
  std::map<Cause, ComparedCause> sums;
  for (const ComparedCause& told : sums_) {
    const Cause cause = rows.general(told.cause, kNoRow);
    ComparedCause& sum = sums[cause];
    sum.cause = cause;
    add_time(sum.slow, told.slow);
    add_time(sum.others, told.others);
  }
  for (const auto& [key, sum] : sums) comparison.causes.push_back(sum);
  std::ranges::stable_sort(comparison.causes, [&](const ComparedCause& a, const ComparedCause& b) {
    return comparison.more(a) > comparison.more(b);
  });
  return comparison;
}

}  // namespace kutrace::reports
