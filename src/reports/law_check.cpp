// SPDX-License-Identifier: BSD-3-Clause
// Verifying that execution spans tile each CPU's time.
#include "reports/law_check.h"

#include <fmt/format.h>

#include <numeric>

namespace kutrace {

namespace {

constexpr std::size_t kShown = 20;

}  // namespace

Ns CpuTotals::sum() const { return std::accumulate(by_kind.begin(), by_kind.end(), Ns{0}); }

void LawCheck::violate(std::string sentence) {
  ++report_.violation_count;
  if (report_.violations.size() < kShown) report_.violations.push_back(std::move(sentence));
}

void LawCheck::push(const Span& span) {
  if (!is_execution(span.kind)) return;
  if (span.cpu != last_cpu_) {
    last_cpu_ = span.cpu;
    last_track_ = &tracks_[span.cpu];
  }
  Track& track = *last_track_;
  if (span.duration < 0) {
    violate(fmt::format("CPU {}: span at {} ns lasts {} ns", span.cpu, span.start, span.duration));
  }
  if (track.any && span.start != track.end) {
    violate(fmt::format(
        "CPU {}: {} of {} ns before {} ns", span.cpu, span.start > track.end ? "gap" : "overlap",
        span.start > track.end ? span.start - track.end : track.end - span.start, span.start));
  }
  if (!track.any) track.first = span.start;
  track.any = true;
  track.end = span.start + span.duration;
  track.totals.by_kind[static_cast<std::size_t>(span.kind)] += span.duration;
  ++track.totals.spans;
}

LawReport LawCheck::finish(const TraceInfo& info) {
  report_.begin = info.begin;
  report_.end = info.end;
  for (const CpuId cpu : info.cpus) {
    const Track& track = tracks_[cpu];
    report_.cpus[cpu] = track.totals;
    if (track.totals.sum() != report_.recorded()) {
      violate(fmt::format("CPU {}: spans add up to {} ns, recorded were {} ns", cpu,
                          track.totals.sum(), report_.recorded()));
    }
    if (track.any && track.first != info.begin) {
      violate(fmt::format("CPU {}: first span starts at {} ns, recording at {} ns", cpu,
                          track.first, info.begin));
    }
    if (track.any && track.end != info.end) {
      violate(fmt::format("CPU {}: last span ends at {} ns, recording at {} ns", cpu, track.end,
                          info.end));
    }
  }
  return std::move(report_);
}

}  // namespace kutrace
