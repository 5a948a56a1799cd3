// SPDX-License-Identifier: BSD-3-Clause
// Columns and how they are painted, see figure_row.h.
#include "emit/figure/figure_row.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kutrace::emit {
namespace {

constexpr double kLabelWidth = 13;       // units of a span that gets a name
constexpr double kNamedWait = 70;        // units
constexpr double kCrowdedSamples = 5;    // units between samples
constexpr double kThreadSampleTail = 6;  // units left of a sample on a thread's row
constexpr float kAllLost = 0.98f;

// From the bottom of a stack upwards.
constexpr std::array kStack = {SpanKind::kHidden,    SpanKind::kUser,    SpanKind::kKernelThread,
                               SpanKind::kScheduler, SpanKind::kCExit,   SpanKind::kSyscall,
                               SpanKind::kTrap,      SpanKind::kSoftirq, SpanKind::kIrq};

int rounded(double value) { return static_cast<int>(std::floor(value + 0.5)); }

// Calls visit(column, part of it) for each column of [0, width) that the reach touches.
template <typename Visit>
void each_column(Reach reach, int width, Visit visit) {
  const int last = static_cast<int>(std::min<double>(width - 1, std::floor(reach.to)));
  for (int x = static_cast<int>(std::max(0.0, std::floor(reach.from))); x <= last; x++) {
    visit(x, std::min(reach.to, x + 1.0) - std::max<double>(reach.from, x));
  }
}

// The bars of a column: what they stand on, what is under them, what a full one is high.
struct Area {
  int base;
  int under;
  int height;
};

Area area_of(FigureBand band) {
  const int under = std::max(1, rounded(band.height * 0.09));
  const int base = band.top + band.height - under - 1;
  return {base, under, base - band.top};
}

// One kind's part of a stack; user mode is two stripes, kernel work has a dark cap.
int paint_segment(FigureRaster& raster, int x, int from, int stop, SpanKind kind,
                  std::size_t colour, const FigurePalette& palette) {
  const bool user = is_user(kind);
  const auto k = static_cast<std::size_t>(kind);
  const Colour body = user ? palette.user[colour] : palette.body[k];
  const Colour edge = user ? palette.user_low[colour] : palette.cap[k];
  const int high = from - stop;
  const int split = user ? stop + high / 2 : high > 5 ? stop + 2 : stop;
  for (int y = stop; y < from; y++) {
    const bool dark = user                        ? y >= split
                      : kind == SpanKind::kHidden ? ((x + y) & 3) == 0
                                                  : y < split;
    raster.dot(x, y, dark ? edge : body);
  }
  return stop;
}

void paint_loss(FigureRaster& raster, int x, int top, int bottom, const FigurePalette& palette) {
  for (int y = top; y < bottom; y++) {
    raster.dot(x, y, ((x + y) & 15) < 8 ? palette.loss_a : palette.loss_b);
  }
}

// One line for a few spans in a column, more for thousands.
int density_lines(std::uint32_t spans, int most) {
  if (spans <= 1) return 0;
  return spans > 200 ? most : spans > 12 ? (most * 2 + 2) / 3 : 1;
}

}  // namespace

double bar_height(SpanKind kind, double band) {
  constexpr std::array<double, kExecutionKinds> kHeights = {0.6,  0.6, 0.8, 0.9, 1,   0.95,
                                                            0.45, 0,   0,   0.3, 0.5, 0};
  const double part = kHeights[static_cast<std::size_t>(kind)];
  return band < kLowBand ? (1 + part) / 2 : part;
}

// Anything beats idle, and of several columns' spans the one with the most time in this one.
void FigureRow::add_to_column(Column& column, const Span& span, double part, bool whole,
                              std::size_t colour) {
  const auto k = static_cast<std::size_t>(span.kind);
  column.shares[k] = static_cast<float>(column.shares[k] + part);
  column.count++;
  const double weight = is_idle(span.kind) ? 0 : whole ? part + 1e-9 : part;
  if (weight <= column.top_time && column.top >= 0) return;
  column.top_time = static_cast<float>(weight);
  column.top = static_cast<std::int8_t>(span.kind);
  column.colour = static_cast<std::uint8_t>(colour);
}

void FigureRow::add_span(const Span& span, Reach reach, std::size_t colour) {
  if (reach.from >= width_ || reach.to < 0) return;
  if (columns_.empty()) columns_.resize(static_cast<std::size_t>(width_));
  const bool whole = std::floor(reach.from) == std::floor(reach.to);
  each_column(reach, width_, [&](int x, double part) {
    if (whole || part > 0) {
      add_to_column(columns_[static_cast<std::size_t>(x)], span, part, whole, colour);
    }
  });
  if (reach.to - reach.from >= kLabelWidth * ratio_) labels_.push_back({reach, span});
}

void FigureRow::add_wait(std::size_t reason, Reach reach) {
  if (reach.from >= width_ || reach.to < 0) return;
  if (waits_.empty()) waits_.resize(static_cast<std::size_t>(width_));
  each_column(reach, width_, [&](int x, double part) {
    Wait& wait = waits_[static_cast<std::size_t>(x)];
    if (part < wait.time || (part == wait.time && wait.letter > 0)) return;
    wait = {static_cast<float>(part), static_cast<std::uint8_t>(reason + 1)};
  });
  if (reach.to - reach.from > kNamedWait * ratio_) named_waits_.push_back({reach, reason});
}

bool FigureRow::add_contended(int from, int to) {
  constexpr std::uint8_t kLock = 'l' - 'a' + 1;
  bool any = false;
  if (waits_.empty()) return any;
  for (int x = std::max(0, from); x <= std::min(width_ - 1, to); x++) {
    std::uint8_t& letter = waits_[static_cast<std::size_t>(x)].letter;
    if (letter != kLock) continue;
    letter = kContended + 1;
    any = true;
  }
  return any;
}

FigureRow::NamedWait FigureRow::as_drawn(NamedWait wait) const {
  const double middle = std::clamp((wait.reach.from + wait.reach.to) / 2, 0.0, width_ - 1.0);
  const std::uint8_t letter = waits_[static_cast<std::size_t>(middle)].letter;
  if (letter == kContended + 1) wait.reason = kContended;
  return wait;
}

void FigureRow::add_sample(Reach reach, bool kernel, std::size_t colour) {
  if (reach.to < 0 || reach.to >= width_) return;
  const Sample sample{reach.from, kernel, static_cast<std::uint8_t>(colour)};
  const auto [at, added] = samples_.try_emplace(static_cast<int>(reach.to), sample);
  if (!added && sample.from < at->second.from) at->second = sample;
}

bool FigureRow::add_mark(const Span& span, double x) {
  if (x < 0 || x >= width_) return false;
  const auto [at, added] = marks_.try_emplace(static_cast<int>(x) / ratio_, span);
  if (!added && span.start < at->second.start) at->second = span;
  return true;
}

void FigureRow::paint_work(FigureRaster& raster, int x, FigureBand band,
                           const FigurePalette& palette) const {
  const Area area = area_of(band);
  const Column& column = columns_[static_cast<std::size_t>(x)];
  int y = area.base;
  for (const SpanKind kind : kStack) {
    const float share = column.shares[static_cast<std::size_t>(kind)];
    if (share <= 0) continue;
    const double full = bar_height(kind, static_cast<double>(band.height) / ratio_) * area.height;
    const int high = std::max(1, rounded(std::min(share, 1.0f) * full));
    y = paint_segment(raster, x, y, std::max(band.top, y - high), kind, column.colour, palette);
  }
  const int least = std::max(2, rounded(area.height / 9.0));
  if (y < area.base && area.base - y < least) {
    const SpanKind kind = column.top >= 0 ? static_cast<SpanKind>(column.top) : SpanKind::kUser;
    paint_segment(raster, x, y, area.base - least, kind, column.colour, palette);
  }
}

void FigureRow::paint_bars(FigureRaster& raster, FigureBand band, const FigurePalette& palette,
                           bool baseline) const {
  const Area area = area_of(band);
  const bool is_low = static_cast<double>(band.height) / ratio_ < kLowBand;
  const Colour idle_colour = is_low ? palette.idle_low : palette.idle;
  for (std::size_t i = 0; i < columns_.size(); i++) {
    const Column& column = columns_[i];
    const int x = static_cast<int>(i);
    if (column.count == 0) continue;
    const float lost = column.shares[static_cast<std::size_t>(SpanKind::kLoss)];
    // Loss hangs from the top: it is never hidden, and hides no work that is known.
    if (lost > 0) {
      const int high = lost > kAllLost ? area.height
                                       : std::max((area.height + 3) / 4,
                                                  rounded(static_cast<double>(lost) * area.height));
      paint_loss(raster, x, band.top, band.top + high, palette);
      if (lost > kAllLost) continue;
    }
    const float low = column.shares[static_cast<std::size_t>(SpanKind::kIdleLowPower)];
    const float idle = column.shares[static_cast<std::size_t>(SpanKind::kIdle)];
    const bool gap = low > idle && (x & 7) >= 4;  // dashes: the core sleeps
    if (baseline && (low > 0 || idle > 0) && !gap) {
      for (int line = 1; line <= ratio_; line++) raster.dot(x, area.base - line, idle_colour);
    }
    paint_work(raster, x, band, palette);
    for (int line = 0; line < density_lines(column.count, area.under); line++) {
      raster.dot(x, area.base + 1 + line, palette.density);
    }
  }
}

// The longest wait of each column as a line whose dashes and thickness name the reason.
void FigureRow::paint_waits(FigureRaster& raster, int middle, const FigurePalette& palette) const {
  for (std::size_t i = 0; i < waits_.size(); i++) {
    if (waits_[i].letter == 0) continue;
    const int x = static_cast<int>(i);
    const WaitStyle& style = palette.waits[waits_[i].letter - std::size_t{1}];
    if (((style.mask >> ((x / ratio_) & 15)) & 1) == 0) continue;
    for (const int line : style.lines) {
      for (int grow = 0; grow < ratio_; grow++) {
        raster.dot(x, middle + line * ratio_ + grow, style.colour);
      }
    }
  }
}

// A sample's line leads from the one before it, on a CPU's row, to its tick; kernel code is dashed.
void FigureRow::paint_samples(FigureRaster& raster, int top, const FigurePalette& palette,
                              bool from_last) const {
  int last = -1;
  for (const auto& [x, sample] : samples_) {
    const Colour colour = palette.user_low[sample.colour];
    const bool crowded = x - last < kCrowdedSamples * ratio_;
    last = x;
    if (crowded) {
      raster.fill(x, x + ratio_, top + 1, top + 3 * ratio_, colour);
      continue;
    }
    const double from = from_last ? sample.from : x - kThreadSampleTail * ratio_;
    raster.fill(from, x, top + 1, top + 1 + 2 * ratio_, colour, sample.kernel ? 0x0f0f : 0xffff);
    raster.fill(x, x + ratio_, top, top + 4 * ratio_, palette.sample_end);
  }
}

}  // namespace kutrace::emit
