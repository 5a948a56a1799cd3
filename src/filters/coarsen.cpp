// SPDX-License-Identifier: BSD-3-Clause
// Folding short spans.
#include "filters/coarsen.h"

#include <fmt/format.h>

#include <cmath>

namespace kutrace::filters {

namespace {

SpanPart part_of(const Span& span) {
  return {.span = span,
          .time = span.duration,
          .ipc_time = static_cast<double>(span.ipc) * static_cast<double>(span.duration)};
}

}  // namespace

void Coarsen::push(const Span& span) {
  if (!is_execution(span.kind)) return overlay(span);
  ++spans_in_;
  if (span.duration == 0) return;
  Track& track = tracks_[span.cpu];
  if (!track.started) {
    track.started = true;
    track.cursor = span.start;
  }
  SpanPart part = part_of(span);
  const bool is_short = span.duration < resolution_ && span.kind != SpanKind::kLoss;
  if (is_short) return put_aside(track, part);
  absorb(track, part);
  lay_out(track, part);
}

void Coarsen::overlay(const Span& span) {
  const bool always = span.kind == SpanKind::kMark || span.kind == SpanKind::kRename;
  if (always || span.duration >= resolution_) return next().push(span);
  LeftOut& left_out = left_out_[static_cast<std::size_t>(span.kind)];
  ++left_out.spans;
  left_out.time += span.duration;
}

void Coarsen::put_aside(Track& track, SpanPart part) {
  while (track.aside.time() + part.time > resolution_) {
    // Nearly long: making room for it would scatter many small parts.
    const Ns own = part.time + track.aside.time_of(sort_of(part.span));
    if (own >= resolution_ - resolution_ / 4) {
      absorb(track, part);
      return lay_out(track, part);
    }
    lay_out(track, take_cheapest(track));
  }
  part.grown = spans_in_;
  track.aside.add(part);
}

// Of what is aside, and something is: what extends the last span, else what it is best to lay out.
SpanPart Coarsen::take_cheapest(Track& track) const {
  if (track.open.time != 0) {
    if (const auto same = track.aside.take(sort_of(track.open.span))) return *same;
  }
  return track.aside.take_best(spans_in_);
}

void Coarsen::absorb(Track& track, SpanPart& part) {
  if (const auto same = track.aside.take(sort_of(part.span))) part.join(*same);
}

void Coarsen::lay_out(Track& track, const SpanPart& part) {
  const bool extends = track.open.time != 0 && sort_of(track.open.span) == sort_of(part.span) &&
                       part.span.kind != SpanKind::kLoss;
  if (extends) {
    track.open.join(part);
  } else {
    close(track);
    track.open = part;
    track.open.span.start = track.cursor;
  }
  track.cursor += part.time;
}

void Coarsen::close(Track& track) {
  if (track.open.time == 0) return;
  Span& span = track.open.span;
  span.duration = track.open.time;
  span.ipc = static_cast<std::uint8_t>(
      std::lround(track.open.ipc_time / static_cast<double>(track.open.time)));
  next().push(span);
  ++spans_out_;
  track.open = {};
}

void Coarsen::finish(TraceInfo& info) {
  for (auto& [cpu, track] : tracks_) {
    while (!track.aside.empty()) lay_out(track, take_cheapest(track));
    close(track);
  }
  note_filter(info, fmt::format("coarsened to {} ns: {} execution spans folded into {}",
                                resolution_, spans_in_, spans_out_));
  for (std::size_t kind = 0; kind < kSpanKinds; ++kind) {
    const LeftOut& left_out = left_out_[kind];
    if (left_out.spans == 0) continue;
    info.facts.add(fact::kLeftOut,
                   fmt::format("{} {} of {} ns in all", left_out.spans,
                               span_kind_name(static_cast<SpanKind>(kind)), left_out.time));
  }
}

}  // namespace kutrace::filters
