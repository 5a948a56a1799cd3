// SPDX-License-Identifier: BSD-3-Clause
// The law: for every CPU, spans plus declared loss add up to exactly the recorded time, with no gap
// and no overlap. Spans enter; leave the totals per CPU and kind, and every violation.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/span.h"
#include "model/trace_info.h"

namespace kutrace {

struct CpuTotals {
  std::array<Ns, kExecutionKinds> by_kind{};
  std::uint64_t spans = 0;

  Ns of(SpanKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  Ns loss() const { return of(SpanKind::kLoss); }
  Ns sum() const;
};

struct LawReport {
  Ns begin = 0;
  Ns end = 0;
  std::map<CpuId, CpuTotals> cpus;
  std::uint64_t violation_count = 0;
  std::vector<std::string> violations;  // the first few, as sentences

  bool holds() const { return violation_count == 0; }
  Ns recorded() const { return end - begin; }
};

class LawCheck : public SpanSink {
 public:
  void push(const Span& span) override;
  LawReport finish(const TraceInfo& info);

 private:
  struct Track {
    CpuTotals totals;
    Ns first = 0;
    Ns end = 0;
    bool any = false;
  };

  void violate(std::string sentence);

  std::map<CpuId, Track> tracks_;
  CpuId last_cpu_ = kNoCpu;
  Track* last_track_ = nullptr;
  LawReport report_;
};

}  // namespace kutrace
