// SPDX-License-Identifier: BSD-3-Clause
// One row of a figure. In: any number of spans, which are kept as pixel columns; out: bars and
// lines. A column is a stack of what it holds, each kind as high as its share of the column's time,
// and never less than a pixel: what is short is seen, and idle hides no work. The page draws its
// rows by the same rules (web/src/layout/columns.js, web/src/draw/raster.js).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emit/figure/figure_palette.h"
#include "emit/figure/figure_raster.h"
#include "model/span.h"

namespace kutrace::emit {

// Height of a full bar of each kind, as a part of the bar area of a band so high, in units. In low
// bands kinds differ half as much, so that all of them are seen.
double bar_height(SpanKind kind, double band);
// In these, names are set smaller.
constexpr double kLowBand = 14;

struct FigureBand {  // pixels
  int top = 0;
  int height = 0;
};

// From a place to another one, in columns; may lie outside.
struct Reach {
  double from = 0;
  double to = 0;
};

class FigureRow {
 public:
  struct Label {  // a span that has room for its name
    Reach reach;
    Span span;
  };
  struct NamedWait {
    Reach reach;
    std::size_t reason = 0;  // letter - 'a'
  };

  FigureRow(int width, int pixels_per_unit) : width_(width), ratio_(pixels_per_unit) {}

  // `colour`: of the span's process.
  void add_span(const Span& span, Reach reach, std::size_t colour);
  void add_wait(std::size_t reason, Reach reach);
  // What waits for a lock there waits for one that another thread holds; whether anything did.
  bool add_contended(int from, int to);
  void add_sample(Reach reach, bool kernel, std::size_t colour);
  bool add_mark(const Span& span, double x);  // whether it is in the picture

  // `baseline`: idle is drawn.
  void paint_bars(FigureRaster& raster, FigureBand band, const FigurePalette& palette,
                  bool baseline) const;
  void paint_waits(FigureRaster& raster, int middle, const FigurePalette& palette) const;
  void paint_samples(FigureRaster& raster, int top, const FigurePalette& palette,
                     bool from_last) const;

  const std::vector<Label>& labels() const { return labels_; }
  const std::vector<NamedWait>& named_waits() const { return named_waits_; }
  // A wait for a lock that another thread held in its middle has the reason kContended.
  NamedWait as_drawn(NamedWait wait) const;
  const std::map<int, Span>& marks() const { return marks_; }  // by unit: the first there
  bool has_waits() const { return !waits_.empty(); }

 private:
  struct Column {
    std::array<float, kExecutionKinds> shares{};
    std::uint32_t count = 0;
    float top_time = 0;  // of the longest span that is not idle
    std::int8_t top = -1;
    std::uint8_t colour = 0;
  };
  struct Wait {
    float time = 0;
    std::uint8_t letter = 0;  // of the reason, counted from 1; 0: none
  };
  struct Sample {
    double from = 0;
    bool kernel = false;
    std::uint8_t colour = 0;
  };

  void add_to_column(Column& column, const Span& span, double part, bool whole, std::size_t colour);
  void paint_work(FigureRaster& raster, int x, FigureBand band, const FigurePalette& palette) const;

  int width_;
  int ratio_;
  std::vector<Column> columns_;  // empty until something is added
  std::vector<Wait> waits_;
  std::map<int, Sample> samples_;  // by column: the first there
  std::map<int, Span> marks_;
  std::vector<Label> labels_;
  std::vector<NamedWait> named_waits_;
};

}  // namespace kutrace::emit
