// SPDX-License-Identifier: BSD-3-Clause
// A window of a trace as one SVG picture for papers: a row per CPU and per thread, axis, legend.
// The spans are pushed twice: first into the survey, which finds the rows, then into the figure.
// Memory grows with rows and width, not with the trace.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/time_window.h"
#include "emit/figure/figure_palette.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::emit {

struct FigureOptions {
  std::string title{};
  int width = 1200;                               // of the whole picture, in units of 1/96 inch
  std::size_t threads = 16;                       // most rows of threads
  std::optional<std::unordered_set<Pid>> only{};  // which threads may have rows; none: all that ran
  bool cpus = true;
  bool arcs = true;       // who woke whom, where these are few
  bool all_arcs = false;  // the longest ones, however many there are
  bool samples = false;   // a lane of them above the bars
  bool legend = true;
  FigureTheme theme = FigureTheme::kLight;
  FigureScheme scheme = FigureScheme::kFull;
};

// Who ran in the window, for how long, and what sorts of span the trace has.
class FigureSurvey : public SpanSink {
 public:
  explicit FigureSurvey(TimeWindow window) : window_(window) {}
  void push(const Span& span) override;

  Ns busy(CpuId cpu) const;
  // The threads that ran longest, the longest first; of `only`, those that did nothing but wait,
  // too.
  std::vector<std::pair<Pid, Ns>> busiest(const FigureOptions& options) const;
  std::size_t threads() const { return threads_.size(); }
  NameId user_name(Pid pid) const;
  bool has(SpanKind kind) const { return kinds_[static_cast<std::size_t>(kind)]; }

 private:
  struct Thread {
    Ns time = 0;
    NameId name = kNoName;  // of its spans in user mode
  };
  TimeWindow window_;
  std::unordered_map<Pid, Thread> threads_;
  std::unordered_set<Pid> waited_;
  std::map<CpuId, Ns> cpus_;
  std::array<bool, kSpanKinds> kinds_{};
};

class Figure : public SpanSink {
 public:
  // `info` and `names` as the survey's pass left them; all of it must outlive the figure.
  Figure(FigureOptions options, TimeWindow window, const FigureSurvey& survey,
         const TraceInfo& info, const NameTable& names);
  ~Figure() override;

  void push(const Span& span) override;
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kutrace::emit
