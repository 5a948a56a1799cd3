// SPDX-License-Identifier: BSD-3-Clause
// Spans of some windows of time. In: a whole trace; out: what overlaps the windows.
//
// The recorded time becomes [begin of the first window, end of the last]; between windows each CPU
// is covered by one hidden span. Spans that reach out of a window are cut at its edge or, if asked
// for, kept whole; then the recorded time is the reach of the kept ones (WholeReach), and hidden
// spans even out the CPUs' edges. Waits and all else with a length lie over what is shown alone: a
// part for each window, or as far as the recorded time if spans are whole. Arcs are cut to the
// recorded time, moments kept if they are in a window or at its edge.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/time_window.h"
#include "filters/span_filter.h"
#include "model/names.h"

namespace kutrace::filters {

class TrimTime : public SpanFilter {
 public:
  // `windows` as tidy_windows makes them, at least one. `whole`: the reach of whole spans.
  TrimTime(std::vector<TimeWindow> windows, std::optional<TimeWindow> whole, NameTable& names,
           SpanSink& next);

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;

 private:
  struct Track {
    std::size_t window = 0;    // earlier ones are over on this CPU
    std::optional<Ns> cursor;  // end of what was passed on
  };

  void finish(TraceInfo& info) override;
  void execution(const Span& span);
  void overlay(const Span& span);
  static Span cut_to(const Span& span, const TimeWindow& window);
  void fill(Track& track, CpuId cpu, Ns until);
  // The first window that does not end before these times, and whether they reach into it.
  std::size_t first_window(Ns start, Ns end) const;
  static bool reaches(Ns start, Ns end, const TimeWindow& window);
  // As spans are cut.
  void cut_losses(std::vector<LossRecord>& losses) const;

  std::vector<TimeWindow> windows_;
  bool whole_;
  TimeWindow bounds_;
  NameId hidden_;
  std::map<CpuId, Track> tracks_;
};

// How far the execution spans reach that overlap the windows.
class WholeReach : public SpanSink {
 public:
  explicit WholeReach(const std::vector<TimeWindow>& windows) : windows_(windows) {}
  void push(const Span& span) override;
  // Nothing if no span overlaps.
  std::optional<TimeWindow> reach() const { return reach_; }

 private:
  const std::vector<TimeWindow>& windows_;
  std::optional<TimeWindow> reach_;
};

}  // namespace kutrace::filters
