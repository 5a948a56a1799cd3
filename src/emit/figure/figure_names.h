// SPDX-License-Identifier: BSD-3-Clause
// Text of a figure's rows: names within bars, reasons to wait, flags of marks, what was lost, and
// the wave out of a C-state. In: a row; out: SVG.
#pragma once

#include <string>
#include <string_view>

#include "emit/figure/figure_layout.h"
#include "emit/figure/figure_row.h"
#include "emit/figure/svg_text.h"
#include "model/names.h"

namespace kutrace::emit {

void write_names(SvgText& svg, const FigureRow& row, const FigurePlace& place,
                 const FigureLayout& layout, const FigurePalette& palette, const NameTable& names);

constexpr double kFlagHeight = 14;
double svg_flag_width(std::string_view text);
void svg_flag(SvgText& svg, double x, double y, double height, std::string_view text,
              Colour colour);
// The way out of a C-state.
void svg_wave(SvgText& svg, Reach reach, double middle, double swing, const FigurePalette& palette);

// With argument and result: "write(1) = 13", "read(3) = EAGAIN".
std::string full_name(const Span& span, const NameTable& names);

}  // namespace kutrace::emit
