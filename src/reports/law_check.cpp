// SPDX-License-Identifier: BSD-3-Clause
// Verifying that execution spans tile each CPU's time, and handing on to the other laws.
#include "reports/law_check.h"

#include <fmt/format.h>

#include <numeric>

namespace kutrace::reports {

Ns CpuTotals::sum() const { return std::accumulate(by_kind.begin(), by_kind.end(), Ns{0}); }

LawCheck::Track& LawCheck::far_track(CpuId cpu) {
  Track& track = tracks_[cpu];
  track.cpu = cpu;
  near_[cpu % near_.size()] = &track;
  return track;
}

void LawCheck::push(const Span& span) {
  if (span.kind == SpanKind::kWait) return wait(span);
  if (!is_execution(span.kind)) return;
  Track& track = track_of(span.cpu);
  if (span.duration < 0 || span.start != track.end) [[unlikely]] {
    does_not_tile(track, span);
  }
  track.end = span.start + span.duration;
  track.totals.by_kind[static_cast<std::size_t>(span.kind)] += span.duration;
  ++track.totals.spans;
  if (nesting_ == Nesting::kTold && span.call != CallId::kNone) calls_.piece(span);
  if (span.thread == ThreadId::kNone || nesting_ == Nesting::kNotTold) return;
  threads_.executes(span);
}

void LawCheck::wait(const Span& span) {
  if (nesting_ == Nesting::kTold && span.call != CallId::kNone) calls_.wait(span);
  if (span.thread == ThreadId::kNone || nesting_ == Nesting::kNotTold) return;
  threads_.waits(span);
}

// Nor does a CPU's first span follow another.
void LawCheck::does_not_tile(Track& track, const Span& span) {
  if (span.duration < 0) {
    report_.violations.add(
        fmt::format("CPU {}: span at {} ns lasts {} ns", span.cpu, span.start, span.duration));
  }
  if (!track.any()) track.first = span.start;
  if (!track.any() || span.start == track.end) return;
  report_.violations.add(fmt::format(
      "CPU {}: {} of {} ns before {} ns", span.cpu, span.start > track.end ? "gap" : "overlap",
      span.start > track.end ? span.start - track.end : track.end - span.start, span.start));
}

void LawCheck::call(const Call& call) {
  if (nesting_ != Nesting::kTold) return calls_.count(call);
  calls_.call(call, report_.violations);
}

void LawCheck::life(const ThreadLife& life) {
  if (nesting_ == Nesting::kNotTold) return;
  threads_.life(life, report_.violations);
}

void LawCheck::end(TraceInfo& info) {
  report_.begin = info.begin;
  report_.end = info.end;
  for (const CpuId cpu : info.cpus) {
    const Track& track = tracks_[cpu];
    report_.cpus[cpu] = track.totals;
    if (track.totals.sum() != report_.recorded()) {
      report_.violations.add(fmt::format("CPU {}: spans add up to {} ns, recorded were {} ns", cpu,
                                         track.totals.sum(), report_.recorded()));
    }
    if (track.any() && track.first != info.begin) {
      report_.violations.add(fmt::format("CPU {}: first span starts at {} ns, recording at {} ns",
                                         cpu, track.first, info.begin));
    }
    if (track.any() && track.end != info.end) {
      report_.violations.add(fmt::format("CPU {}: last span ends at {} ns, recording at {} ns", cpu,
                                         track.end, info.end));
    }
  }
  threads_.finish(report_.violations);
  calls_.finish(report_.violations);
  report_.threads = {threads_.count(), threads_.total(), threads_.unknown()};
  report_.calls = {calls_.count(), calls_.total(), calls_.unknown()};
  report_.calls_add_up = nesting_ == Nesting::kTold && calls_.count() != 0;
  report_.inferred_calls = calls_.inferred();
}

}  // namespace kutrace::reports
