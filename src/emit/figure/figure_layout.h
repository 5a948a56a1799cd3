// SPDX-License-Identifier: BSD-3-Clause
// Where everything of a figure stands. In: options and what the survey found; out: rows with their
// places, in units; x of a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emit/figure/figure.h"
#include "emit/figure/figure_row.h"

namespace kutrace::emit {

struct FigurePlace {
  enum class Sort { kHeading, kCpu, kThread };
  Sort sort = Sort::kHeading;
  std::string label;
  double busy = 0;  // share of the window
  CpuId cpu = kNoCpu;
  Pid pid = kNoPid;
  int top = 0;  // of the plot
  int height = 0;

  int pad() const { return height > 30 ? 3 : height >= 18 ? 2 : 0; }
  // Without the pad, and without the lanes for samples and locks.
  int band_top(int lanes) const { return top + pad() + kLane * lanes; }
  int band_height(int lanes) const { return height - 2 * pad() - kLane * lanes; }

  static constexpr int kLane = 5;
};

struct FigureLayout {
  static constexpr int kMargin = 16;
  static constexpr int kNames = 190;  // room for the rows' names
  static constexpr int kPlotLeft = kMargin + kNames;
  static constexpr int kPlotTop = kMargin + 50 + 24;  // below title, facts and axis
  static constexpr int kRatio = 2;                    // pixels of a unit

  FigureLayout(const FigureOptions& options, TimeWindow shown, const FigureSurvey& survey,
               const TraceInfo& info, const NameTable& names);

  double x(Ns time) const {  // units from the plot's left edge
    return static_cast<double>(time - window.begin) * scale;
  }
  Reach reach(const Span& span) const {  // pixels
    return {x(span.start) * kRatio, x(span.start + span.duration) * kRatio};
  }
  int lanes_of(const FigurePlace& place) const;

  TimeWindow window;
  int plot_width;
  int plot_height = 0;
  double scale;  // units per ns
  bool sample_lane;
  bool lock_lane;
  std::vector<FigurePlace> places;

 private:
  void add(FigurePlace place, int height);
};

}  // namespace kutrace::emit
