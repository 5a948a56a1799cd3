// SPDX-License-Identifier: BSD-3-Clause
// Arcs of a figure, from the one who woke to the moment the woken one runs. In: arcs in any number;
// out: curves, the longest ones if there are too many to tell apart.
#pragma once

#include <cstdint>
#include <vector>

#include "emit/figure_layout.h"
#include "emit/svg_text.h"
#include "spans/span.h"

namespace kutrace {

class FigureArcs {
 public:
  void add(const Span& span);
  void write(SvgText& svg, const FigureLayout& layout, const FigurePalette& palette);

 private:
  void keep_longest();

  std::vector<Span> kept_;
};

}  // namespace kutrace
