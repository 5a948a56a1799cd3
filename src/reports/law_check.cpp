// SPDX-License-Identifier: BSD-3-Clause
// Verifying that execution spans tile each CPU's time, and handing on to the other laws.
#include "reports/law_check.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

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
  if (span.kind == SpanKind::kWait) return wait(span);
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
  execution(track, span);
}

// The same span as a part of its thread's life and of its call.
void LawCheck::execution(Track& track, const Span& span) {
  if (span.call != CallId::kNone) calls_.piece(span);
  if (span.pid == 0 || span.pid == kNoPid) return;
  if (span.pid != track.pid) {
    track.pid = span.pid;
    track.thread = &threads_.of(span.pid);
  }
  track.thread->executing += span.duration;
  track.thread->reach(span);
}

void LawCheck::wait(const Span& span) {
  if (span.call != CallId::kNone) calls_.wait(span);
  ThreadLaw::Sums& thread = threads_.of(span.pid);
  thread.waiting += span.duration;
  thread.reach(span);
}

void LawCheck::call(const Call& call) {
  calls_.call(call, [this](std::string sentence) { violate(std::move(sentence)); });
}

void LawCheck::life(const ThreadLife& life) {
  threads_.life(life, [this](std::string sentence) { violate(std::move(sentence)); });
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
  const auto report = [this](std::string sentence) { violate(std::move(sentence)); };
  threads_.finish(report);
  calls_.finish(report);
  report_.threads = {threads_.count(), threads_.total(), threads_.unknown()};
  report_.calls = {calls_.count(), calls_.total(), calls_.unknown()};
  report_.inferred_calls = calls_.inferred();
  return std::move(report_);
}

}  // namespace kutrace
