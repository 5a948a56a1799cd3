// SPDX-License-Identifier: BSD-3-Clause
// SVG elements as text. In: shapes, colours, names of unknown origin; out: well-formed SVG.
#pragma once

#include <string>
#include <string_view>

#include "emit/figure/figure_palette.h"

namespace kutrace::emit {

// A number with two decimals at most: "3", "3.5", "3.14".
std::string svg_number(double value);
// Markup is text, and what no XML text may hold is shown as \xHH or U+FFFD.
std::string svg_escaped(std::string_view text);
// About how wide a text is, in units; nobody knows the reader's font.
double svg_text_width(std::string_view text, double size);
// As much of it as fits, with an ellipsis; nothing if that is next to nothing.
std::string svg_fitting(std::string_view text, double size, double width);
// The same of a row's name; the number at its end, by which names differ, stays.
std::string svg_fitting_label(std::string_view label, double size, double width);

class SvgText {
 public:
  struct Font {
    double size = 11;
    Colour colour = 0;
    bool bold = false;
    const char* anchor = "start";
  };

  void open(std::string_view tag);  // "g", with its attributes
  void close(std::string_view name);
  void rect(double x, double y, double width, double height, Colour fill);
  void frame(double x, double y, double width, double height, Colour stroke);
  // `y` is the middle of small letters.
  void text(double x, double y, std::string_view text, const Font& font);
  void path(std::string_view data, std::string_view attributes);
  void element(std::string_view name, std::string_view text);

  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

}  // namespace kutrace::emit
