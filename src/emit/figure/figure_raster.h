// SPDX-License-Identifier: BSD-3-Clause
// Pixels of a figure as vectors: equal neighbours become one rectangle, so nothing blurs at any
// size. In: fills; out: SVG path data by colour.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emit/figure/figure_palette.h"

namespace kutrace::emit {

class FigureRaster {
 public:
  FigureRaster(int width, int height, Colour back);

  int width() const { return width_; }
  int height() const { return height_; }
  void dot(int x, int y, Colour colour) {
    if (y < 0 || y >= height_) return;
    pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
            static_cast<std::size_t>(x)] = colour;
  }
  // At least one pixel wide; `mask`: of 16 pixels, those drawn.
  void fill(double x0, double x1, int y0, int y1, Colour colour, std::uint16_t mask = 0xffff);
  // Everything but the background.
  std::map<Colour, std::string> paths() const;

 private:
  int width_;
  int height_;
  Colour back_;
  std::vector<Colour> pixels_;
};

}  // namespace kutrace::emit
