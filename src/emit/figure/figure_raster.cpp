// SPDX-License-Identifier: BSD-3-Clause
// Pixels to rectangles, see figure_raster.h.
#include "emit/figure/figure_raster.h"

#include <algorithm>
#include <cmath>

#include "base/append_format.h"

namespace kutrace::emit {
namespace {

// A run of equal pixels that the next line may continue.
struct Run {
  int from = 0;
  int to = 0;
  int top = 0;
  Colour colour = 0;
};

bool same_place(const Run& a, const Run& b) {
  return a.from == b.from && a.to == b.to && a.colour == b.colour;
}

class Rectangles {
 public:
  // The runs of line `y`, from left to right.
  void line(std::vector<Run> runs, int y) {
    auto above = open_.begin();
    for (Run& run : runs) {
      for (; above != open_.end() && above->from < run.from; ++above) close(*above, y);
      if (above != open_.end() && same_place(*above, run)) {
        run.top = above->top;
        ++above;
      }
    }
    for (; above != open_.end(); ++above) close(*above, y);
    open_ = std::move(runs);
  }
  std::map<Colour, std::string> take() { return std::move(paths_); }

 private:
  void close(const Run& run, int y) {
    append_format(paths_[run.colour], "M{} {}h{}v{}h-{}z", run.from, run.top, run.to - run.from,
                  y - run.top, run.to - run.from);
  }

  std::vector<Run> open_;
  std::map<Colour, std::string> paths_;
};

}  // namespace

FigureRaster::FigureRaster(int width, int height, Colour back)
    : width_(width),
      height_(height),
      back_(back),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), back) {}

void FigureRaster::fill(double x0, double x1, int y0, int y1, Colour colour, std::uint16_t mask) {
  const double end = width_;
  const int from = static_cast<int>(std::clamp(std::floor(x0), 0.0, end));
  const int to =
      static_cast<int>(std::clamp(std::floor(x1), static_cast<double>(from) + 1, end + 1));
  const int bottom = std::min(height_, y1);
  for (int x = from; x < std::min(to, width_); x++) {
    if (((mask >> (x & 15)) & 1) == 0) continue;
    for (int y = std::max(0, y0); y < bottom; y++) dot(x, y, colour);
  }
}

std::map<Colour, std::string> FigureRaster::paths() const {
  Rectangles rectangles;
  for (int y = 0; y < height_; y++) {
    const Colour* line = pixels_.data() + static_cast<std::ptrdiff_t>(y) * width_;
    std::vector<Run> runs;
    for (int x = 0; x < width_;) {
      const int from = x;
      while (x < width_ && line[x] == line[from]) x++;
      if (line[from] != back_) runs.push_back({from, x, y, line[from]});
    }
    rectangles.line(std::move(runs), y);
  }
  rectangles.line({}, height_);
  return rectangles.take();
}

}  // namespace kutrace::emit
