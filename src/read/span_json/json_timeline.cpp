// SPDX-License-Identifier: BSD-3-Clause
// Gaps, overlaps and ends of CPU timelines.
#include "read/span_json/json_timeline.h"

#include <algorithm>

#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::read {

namespace {

constexpr Ns kRounding = 10;  // the resolution of the format

// The file gives every span a result, most of them left over from an earlier one. It is this
// span's if the thread went on in user mode.
bool returns_to_user(const Span& span, const Span* next) {
  return span.kind == SpanKind::kSyscall && next != nullptr && next->kind == SpanKind::kUser &&
         next->pid == span.pid;
}

}  // namespace

JsonTimeline::JsonTimeline(TraceInfo& info, NameTable& names, SpanSink& sink, SpanKind gap,
                           bool has_results)
    : info_(info), sink_(sink), has_results_(has_results) {
  gap_ = gap == SpanKind::kLoss
             ? loss_span(kNoCpu, 0, 0, KUTRACE_LOSS_UNWRITTEN, names.intern("-loss-"))
             : hidden_span(kNoCpu, 0, 0, names.intern(kHiddenName));
}

JsonTimeline::Track& JsonTimeline::track(CpuId cpu) {
  if (cpu >= index_.size()) index_.resize(cpu + 1, -1);
  if (index_[cpu] < 0) {
    index_[cpu] = static_cast<std::int32_t>(tracks_.size());
    Track& track = tracks_.emplace_back();
    track.cpu = cpu;
    track.emitted = info_.begin;
  }
  return tracks_[static_cast<std::size_t>(index_[cpu])];
}

void JsonTimeline::emit(Track& track, Span span, Ns end) {
  span.start = track.emitted;
  span.duration = end - span.start;
  if (span.duration <= 0) return;
  track.emitted = end;
  if (span.kind == SpanKind::kLoss) {
    info_.losses.push_back(
        {track.cpu, span.start, end, KUTRACE_LOSS_UNKNOWN_COUNT, span.low_arg()});
  }
  sink_.push(span);
}

void JsonTimeline::fill(Track& track, Ns begin, Ns end) {
  Span span = gap_;
  span.start = begin;
  span.cpu = track.cpu;
  emit(track, span, end);
}

void JsonTimeline::close(Track& track, Ns until, const Span* next) {
  Ns end = std::min(track.open_end(), until);
  if (until > end && until - end <= kRounding && track.covered_end() <= end) {
    ++rounding_gaps_;
    end = until;
  }
  track.open.has_result = has_results_ && end == until && returns_to_user(track.open, next);
  emit(track, track.open, end);
  const Ns resumed = std::min(track.covered_end(), until);
  if (resumed > track.emitted) emit(track, track.covered, resumed);
  if (until > track.emitted) fill(track, track.emitted, until);
}

void JsonTimeline::push(const Span& span) {
  Track& track = this->track(span.cpu);
  if (span.duration == 0) {
    ++zero_length_;
    return;
  }
  if (track.any) {
    if (track.open_end() > span.start) {
      ++overlaps_;
      const bool reaches_behind = track.open_end() > span.start + span.duration;
      if (reaches_behind && track.open_end() > track.covered_end()) track.covered = track.open;
    }
    close(track, span.start, &span);
  } else if (span.start > track.emitted) {
    fill(track, track.emitted, span.start);
  }
  track.any = true;
  track.open = span;
}

void JsonTimeline::finish() {
  for (const CpuId cpu : info_.cpus) track(cpu);
  for (Track& track : tracks_) {
    if (track.any) {
      close(track, info_.end, nullptr);
    } else {
      fill(track, info_.begin, info_.end);
    }
  }
  info_.counters.add(Counter::kJsonZeroLength, zero_length_);
  info_.counters.add(Counter::kJsonRoundingGap, rounding_gaps_);
  info_.counters.add(Counter::kJsonOverlap, overlaps_);
}

}  // namespace kutrace::read
