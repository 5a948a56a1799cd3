// SPDX-License-Identifier: BSD-3-Clause
// What the shapes of a figure mean: the sorts of span and reasons to wait that occur in it, each
// beside a sample of its look.
#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "emit/figure/figure_palette.h"
#include "emit/figure/figure_raster.h"
#include "emit/figure/svg_text.h"

namespace kutrace::emit {

class FigureLegend {
 public:
  void add(SpanKind kind) { kinds_.set(static_cast<std::size_t>(kind)); }
  void add_wait(std::size_t reason) { waits_.set(reason); }

  int height(int width) const;
  FigureRaster paint(int width, const FigurePalette& palette) const;
  void write(SvgText& svg, int width, const FigurePalette& palette) const;

 private:
  struct Entry {
    bool wait = false;
    std::size_t number = 0;  // kind, or reason to wait
    int x = 0;
    int y = 0;
  };
  std::vector<Entry> entries(int width) const;

  std::bitset<kExecutionKinds> kinds_;
  std::bitset<kWaitReasons> waits_;
};

}  // namespace kutrace::emit
