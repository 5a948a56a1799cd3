// SPDX-License-Identifier: BSD-3-Clause
// The laws. CPUs: spans plus declared loss add up to exactly the recorded time, with no gap and no
// overlap. Threads and calls: see thread_law.h and call_law.h; they hold where a trace has
// these. In: spans, calls, lives; out: totals per CPU and kind, and every violation.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/span_sink.h"
#include "model/trace_info.h"
#include "reports/call_law.h"
#include "reports/thread_law.h"

namespace kutrace::reports {

struct CpuTotals {
  std::array<Ns, kExecutionKinds> by_kind{};
  std::uint64_t spans = 0;

  Ns of(SpanKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  Ns loss() const { return of(SpanKind::kLoss); }
  Ns sum() const;
};

// How many there were, and how much of their time the trace does not tell.
struct LawTotals {
  std::uint64_t count = 0;
  Ns total = 0;
  Ns unknown = 0;
};

struct LawReport {
  Ns begin = 0;
  Ns end = 0;
  std::map<CpuId, CpuTotals> cpus;
  LawTotals threads;
  LawTotals calls;
  bool calls_add_up = false;         // which was proved
  std::uint64_t inferred_calls = 0;  // of which begin or end was not seen
  Violations violations;

  bool holds() const { return violations.count == 0; }
  Ns recorded() const { return end - begin; }
};

// What a trace tells: lives in the order of time, and which call was made in which. Only then can
// it be proved that they add up.
enum class Nesting : std::uint8_t { kTold, kLivesAlone, kNotTold };

class LawCheck : public SpanSink {
 public:
  explicit LawCheck(Nesting nesting = Nesting::kTold) : nesting_(nesting) {}

  void push(const Span& span) override;
  void expect(Pid /*pid*/, ThreadId thread, Ahead /*ahead*/) const override {
    threads_.expect(thread);
  }
  void call(const Call& call) override;
  void life(const ThreadLife& life) override;
  void end(TraceInfo& info) override;
  // Of a stream that has ended.
  LawReport report() { return std::move(report_); }

 private:
  struct Track {
    CpuId cpu = 0;
    CpuTotals totals;
    Ns first = 0;
    Ns end = kNothing;
    bool any() const { return end != kNothing; }
  };
  static constexpr Ns kNothing = std::numeric_limits<Ns>::min();  // of what none ends at

  Track& track_of(CpuId cpu) {
    Track* near = near_[cpu % near_.size()];
    return near != nullptr && near->cpu == cpu ? *near : far_track(cpu);
  }
  [[gnu::noinline, gnu::cold]] Track& far_track(CpuId cpu);
  void wait(const Span& span);
  void does_not_tile(Track& track, const Span& span);

  const Nesting nesting_;
  std::map<CpuId, Track> tracks_;
  std::array<Track*, 256> near_{};  // by the low bits of their number
  ThreadLaw threads_;
  CallLaw calls_;
  LawReport report_;
};

}  // namespace kutrace::reports
