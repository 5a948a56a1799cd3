// SPDX-License-Identifier: BSD-3-Clause
// Arcs of a figure, from the one who woke to the moment the woken one runs. In: arcs in any number;
// out: curves. Of more than a few there are none, or the longest ones where they were asked for.
#pragma once

#include <cstddef>
#include <vector>

#include "emit/figure/figure_layout.h"
#include "emit/figure/svg_text.h"
#include "model/span.h"

namespace kutrace::emit {

class FigureArcs {
 public:
  explicit FigureArcs(bool however_many) : however_many_(however_many) {}
  void add(const Span& span);
  void write(SvgText& svg, const FigureLayout& layout, const FigurePalette& palette);

 private:
  void keep_longest();

  bool however_many_;
  std::size_t count_ = 0;
  std::vector<Span> kept_;
};

}  // namespace kutrace::emit
