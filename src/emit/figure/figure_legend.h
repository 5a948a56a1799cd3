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
  void add(SpanKind kind);
  void add_wait(std::size_t reason) { waits_.set(reason); }
  void add_mark() { has_marks_ = true; }

  int height(int width) const;
  FigureRaster paint(int width, const FigurePalette& palette) const;
  void write(SvgText& svg, int width, const FigurePalette& palette) const;

 private:
  enum class Sort : std::uint8_t { kKind, kMark, kWait };
  struct Entry {
    Sort sort = Sort::kKind;
    std::size_t number = 0;  // kind, or reason to wait
    int x = 0;
    int y = 0;
  };
  std::vector<Entry> entries(int width) const;
  static bool is_c_exit(const Entry& entry);

  std::bitset<kExecutionKinds> kinds_;
  std::bitset<kWaitReasons> waits_;
  bool has_marks_ = false;
};

}  // namespace kutrace::emit
