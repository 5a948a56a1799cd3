// SPDX-License-Identifier: BSD-3-Clause
// The legend, see figure_legend.h.
#include "emit/figure/figure_legend.h"

#include <fmt/format.h>

#include "emit/figure/figure_layout.h"
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
    "user",      "kernel thread", "system call",    "fault",        "interrupt", "softirq",
    "scheduler", "idle",          "low-power idle", "C-state exit", "hidden",    "loss"};

}  // namespace

std::vector<FigureLegend::Entry> FigureLegend::entries(int width) const {
  const int across = std::max(1, width / kEntryWidth);
  std::vector<Entry> out;
  const auto add = [&](bool wait, std::size_t number) {
    const int place = static_cast<int>(out.size());
    out.push_back({wait, number, place % across * kEntryWidth, place / across * kLine});
  };
  for (std::size_t k = 0; k < kinds_.size(); k++) {
    if (kinds_.test(k)) add(false, k);
  }
  for (std::size_t reason = 0; reason < waits_.size(); reason++) {
    if (waits_.test(reason)) add(true, reason);
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
    if (entry.wait) {
      row.add_wait(entry.number, reach);
      row.paint_waits(raster, (entry.y + kSwatchHeight / 2) * kRatio, palette);
      continue;
    }
    Span span;
    span.kind = static_cast<SpanKind>(entry.number);
    row.add_span(span, reach, 0);
    row.paint_bars(raster, {entry.y * kRatio, kSwatchHeight * kRatio}, palette, true);
  }
  return raster;
}

void FigureLegend::write(SvgText& svg, int width, const FigurePalette& palette) const {
  for (const Entry& entry : entries(width)) {
    const std::string text = entry.wait ? fmt::format("waits: {}", palette.waits[entry.number].name)
                                        : kKindTexts[entry.number];
    svg.text(entry.x + kSwatchWidth + 8, entry.y + kSwatchHeight / 2.0 + 1, text,
             {.size = 11, .colour = palette.text});
  }
}

}  // namespace kutrace::emit
