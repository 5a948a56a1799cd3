// SPDX-License-Identifier: BSD-3-Clause
// Cutting spans at the edges of windows.
#include "filters/trim_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "kutrace/abi.h"
#include "model/readings.h"

namespace kutrace::filters {

TrimTime::TrimTime(std::vector<TimeWindow> windows, std::optional<TimeWindow> whole,
                   NameTable& names, SpanSink& next)
    : SpanFilter(next),
      windows_(std::move(windows)),
      whole_(whole.has_value()),
      bounds_(whole.value_or(TimeWindow{windows_.front().begin, windows_.back().end})),
      hidden_(names.intern(kHiddenName)) {}

void TrimTime::begin(const TraceInfo& known) {
  TraceInfo cut = known;
  cut.begin = std::max(bounds_.begin, known.begin);
  cut.end = std::max(cut.begin, std::min(bounds_.end, known.end));
  next().begin(cut);
}

void TrimTime::push(const Span& span) {
  if (is_execution(span.kind)) {
    execution(span);
  } else {
    overlay(span);
  }
}

void TrimTime::fill(Track& track, CpuId cpu, Ns until) {
  if (*track.cursor < until) next().push(hidden_span(cpu, *track.cursor, until, hidden_));
  track.cursor = until;
}

void TrimTime::execution(const Span& span) {
  Track& track = tracks_[span.cpu];
  const Ns end = span.start + span.duration;
  while (track.window < windows_.size() && windows_[track.window].end <= span.start) {
    ++track.window;
  }
  for (std::size_t i = track.window; i < windows_.size() && windows_[i].begin < end; ++i) {
    Span part = span;
    if (!whole_) {
      part.start = std::max(span.start, windows_[i].begin);
      part.duration = std::min(end, windows_[i].end) - part.start;
    }
    // Without --whole every CPU starts where the recording or the first window does.
    if (!track.cursor) track.cursor = whole_ ? bounds_.begin : part.start;
    fill(track, span.cpu, part.start);
    next().push(part);
    track.cursor = part.start + part.duration;
    if (whole_) return;
  }
}

// A moment at exactly a window's begin or end is in it.
std::size_t TrimTime::first_window(Ns start, Ns end) const {
  return first_window_after(windows_, start == end ? start - 1 : start);
}
bool TrimTime::reaches(Ns start, Ns end, const TimeWindow& window) {
  return start == end ? window.begin <= start : window.begin < end;
}

// Of a function's own time, as much as fits.
Span TrimTime::cut_to(const Span& span, const TimeWindow& window) {
  Span part = span;
  part.start = std::max(span.start, window.begin);
  part.duration = std::min(span.start + span.duration, window.end) - part.start;
  if (part.kind == SpanKind::kFunction)
    part.value = std::min(part.value, static_cast<std::uint64_t>(part.duration));
  return part;
}

void TrimTime::overlay(const Span& span) {
  const Ns end = span.start + span.duration;
  const std::size_t i = first_window(span.start, end);
  if (i == windows_.size() || !reaches(span.start, end, windows_[i])) return;
  if (whole_ || span.duration == 0 || is_arc(span.kind)) {
    next().push(cut_to(span, bounds_));
    return;
  }
  Span rest = span;
  each_part(windows_, span.start, end, [&](Ns from, Ns to) {
    const Span part = cut_to(rest, {from, to});
    next().push(part);
    if (rest.kind == SpanKind::kFunction) rest.value -= part.value;
  });
}

void TrimTime::cut_losses(std::vector<LossRecord>& losses) const {
  std::vector<LossRecord> kept;
  for (const LossRecord& loss : losses) {
    const std::size_t first = kept.size();
    std::size_t i = first_window(loss.begin, loss.end);
    for (; i < windows_.size() && reaches(loss.begin, loss.end, windows_[i]); ++i) {
      const TimeWindow& shown = whole_ ? bounds_ : windows_[i];
      LossRecord part = loss;
      part.begin = std::max(loss.begin, shown.begin);
      part.end = std::min(loss.end, shown.end);
      kept.push_back(part);
      if (whole_) break;
    }
    // In which part its entries were is not known.
    if (kept.size() < first + 2) continue;
    for (std::size_t part = first; part < kept.size(); ++part)
      kept[part].entries = KUTRACE_LOSS_UNKNOWN_COUNT;
  }
  losses = std::move(kept);
}

void TrimTime::finish(TraceInfo& info) {
  bounds_ = {std::max(bounds_.begin, info.begin), std::min(bounds_.end, info.end)};
  note_filter(info, fmt::format("{} time window{} of {}..{} ns, of a recording of {}..{} ns",
                                windows_.size(), windows_.size() == 1 ? "" : "s", bounds_.begin,
                                bounds_.end, info.begin, info.end));
  info.begin = bounds_.begin;
  info.end = bounds_.end;
  cut_readings(info.facts, info.begin, info.end);
  for (const CpuId cpu : info.cpus) {
    Track& track = tracks_[cpu];
    if (!track.cursor) track.cursor = info.begin;
    if (whole_) fill(track, cpu, info.end);
  }
  cut_losses(info.losses);
}

void WholeReach::push(const Span& span) {
  if (!is_execution(span.kind)) return;
  const Ns end = span.start + span.duration;
  const std::size_t i = first_window_after(windows_, span.start);
  if (i == windows_.size() || windows_[i].begin >= end) return;
  if (!reach_) reach_ = TimeWindow{span.start, end};
  reach_->begin = std::min(reach_->begin, span.start);
  reach_->end = std::max(reach_->end, end);
}

}  // namespace kutrace::filters
