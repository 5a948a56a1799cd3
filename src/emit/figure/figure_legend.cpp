// SPDX-License-Identifier: BSD-3-Clause
// The legend, see figure_legend.h.
#include "emit/figure/figure_legend.h"

#include <fmt/format.h>

#include "emit/figure/figure_layout.h"
#include "emit/figure/figure_names.h"
#include "emit/figure/figure_row.h"

namespace kutrace::emit {
namespace {

constexpr int kEntryWidth = 180;
constexpr int kLine = 26;
constexpr int kSwatchWidth = 52;
constexpr int kSwatchHeight = 20;
constexpr int kRatio = FigureLayout::kRatio;

// By kind, in the page's words.
constexpr std::array<const char*, kExecutionKinds> kKindTexts = {
    "user, kernel thread", "",     "system call",    "fault",        "interrupt", "softirq",
    "scheduler",           "idle", "low-power idle", "C-state exit", "hidden",    "loss"};

}  // namespace

// Kernel threads look as programs do.
void FigureLegend::add(SpanKind kind) {
  kinds_.set(static_cast<std::size_t>(is_user(kind) ? SpanKind::kUser : kind));
}

bool FigureLegend::is_c_exit(const Entry& entry) {
  return entry.sort == Sort::kKind && static_cast<SpanKind>(entry.number) == SpanKind::kCExit;
}

std::vector<FigureLegend::Entry> FigureLegend::entries(int width) const {
  const int across = std::max(1, width / kEntryWidth);
  std::vector<Entry> out;
  const auto add = [&](Sort sort, std::size_t number) {
    const int place = static_cast<int>(out.size());
    out.push_back({sort, number, place % across * kEntryWidth, place / across * kLine});
  };
  for (std::size_t k = 0; k < kinds_.size(); k++) {
    if (kinds_.test(k)) add(Sort::kKind, k);
  }
  if (has_marks_) add(Sort::kMark, 0);
  for (std::size_t reason = 0; reason < waits_.size(); reason++) {
    if (waits_.test(reason)) add(Sort::kWait, reason);
  }
  return out;
}

int FigureLegend::height(int width) const {
  const std::vector<Entry> all = entries(width);
  return all.empty() ? 0 : all.back().y + kLine + FigureLayout::kMargin;
}

FigureRaster FigureLegend::paint(int width, const FigurePalette& palette) const {
  FigureRaster raster(width * kRatio, std::max(1, height(width)) * kRatio, palette.back);
  for (const Entry& entry : entries(width)) {
    // Drawn as in the plot: a row that holds nothing else.
    FigureRow row(width * kRatio, kRatio);
    const Reach reach{static_cast<double>(entry.x * kRatio),
                      static_cast<double>((entry.x + kSwatchWidth) * kRatio)};
    if (entry.sort == Sort::kWait) {
      row.add_wait(entry.number, reach);
      row.paint_waits(raster, (entry.y + kSwatchHeight / 2) * kRatio, palette);
      continue;
    }
    if (entry.sort == Sort::kMark || is_c_exit(entry)) continue;
    Span span;
    span.kind = static_cast<SpanKind>(entry.number);
    row.add_span(span, reach, 0);
    row.paint_bars(raster, {entry.y * kRatio, kSwatchHeight * kRatio}, palette, true);
  }
  return raster;
}

void FigureLegend::write(SvgText& svg, int width, const FigurePalette& palette) const {
  for (const Entry& entry : entries(width)) {
    if (is_c_exit(entry)) {
      const double middle = entry.y + kSwatchHeight * 0.62;
      svg_wave(svg, {entry.x * 1.0, entry.x + kSwatchWidth * 1.0}, middle, kSwatchHeight * 0.28,
               palette);
    }
    if (entry.sort == Sort::kMark) {
      svg.rect(entry.x + 6, entry.y, 1.5, kSwatchHeight, palette.marks[0]);
      svg_flag(svg, entry.x + 6, entry.y, kFlagHeight, "mark", palette.marks[0]);
    }
    const std::string text = entry.sort == Sort::kMark ? "mark"
                             : entry.sort == Sort::kWait
                                 ? fmt::format("waits: {}", palette.waits[entry.number].name)
                                 : kKindTexts[entry.number];
    svg.text(entry.x + kSwatchWidth + 8, entry.y + kSwatchHeight / 2.0 + 1, text,
             {.size = 11, .colour = palette.text});
  }
}

}  // namespace kutrace::emit
