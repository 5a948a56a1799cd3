// SPDX-License-Identifier: BSD-3-Clause
// Arcs, see figure_arcs.h.
#include "emit/figure/figure_arcs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kutrace::emit {
namespace {

constexpr std::size_t kMost = 240;
constexpr std::size_t kFew = 60;  // of more, lines are thin, and they are drawn only if asked for

struct Point {
  double x = 0;
  double y = 0;
};

constexpr double kLeastFlat = 5;  // shorter ones would be an arrow from nowhere

void write_arc(SvgText& svg, Point from, Point to, bool ipi, bool crowded,
               const FigurePalette& palette) {
  if (from.y == to.y && to.x - from.x < kLeastFlat) return;
  const std::string colour = css_text(ipi ? palette.ipi : palette.arc);
  const std::string faint = crowded ? R"( opacity="0.6")" : "";
  const double bend = std::min(40.0, 10 + std::abs(to.x - from.x) / 3);
  svg.path(fmt::format("M{} {}C{} {} {} {} {} {}", svg_number(from.x), svg_number(from.y),
                       svg_number(from.x + bend * 0.2), svg_number(from.y - bend),
                       svg_number(to.x - bend * 0.4), svg_number(to.y - bend), svg_number(to.x),
                       svg_number(to.y)),
           fmt::format(R"(fill="none" stroke="{}" stroke-width="{}"{}{})", colour,
                       crowded ? "0.8" : "1.25", ipi ? R"( stroke-dasharray="2 3")" : "", faint));
  svg.path(fmt::format("M{} {}L{} {}L{} {}z", svg_number(to.x), svg_number(to.y + 1),
                       svg_number(to.x - 5), svg_number(to.y - 6), svg_number(to.x + 2),
                       svg_number(to.y - 7)),
           fmt::format(R"(fill="{}"{})", colour, faint));
}

// Where arcs of a CPU or thread begin and end.
struct Heights {
  explicit Heights(const FigureLayout& layout) {
    for (const FigurePlace& place : layout.places) {
      const double y = place.band_top(0) + place.band_height(0) * 0.45;
      if (place.sort == FigurePlace::Sort::kCpu) cpus[place.cpu] = y;
      if (place.sort == FigurePlace::Sort::kThread) threads[place.pid] = y;
    }
  }
  std::map<CpuId, double> cpus;
  std::map<Pid, double> threads;
};

}  // namespace

void FigureArcs::keep_longest() {
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Span& a, const Span& b) { return a.duration > b.duration; });
  if (kept_.size() > kMost) kept_.resize(kMost);
}

void FigureArcs::add(const Span& span) {
  count_++;
  kept_.push_back(span);
  if (kept_.size() >= 2 * kMost) keep_longest();
}

void FigureArcs::write(SvgText& svg, const FigureLayout& layout, const FigurePalette& palette) {
  if (count_ > kFew && !however_many_) return;
  keep_longest();
  const Heights heights(layout);
  const bool crowded = kept_.size() > kFew;
  const auto connect = [&](const Span& span, const auto& places, auto from, auto to) {
    const auto begin = places.find(from);
    const auto end = places.find(to);
    if (begin == places.end() || end == places.end()) return;
    write_arc(svg, {layout.x(span.start), begin->second},
              {layout.x(span.start + span.duration), end->second}, span.kind == SpanKind::kIpiArc,
              crowded, palette);
  };
  for (const Span& span : kept_) {
    connect(span, heights.cpus, span.cpu, CpuId{span.low_arg()});
    if (span.kind == SpanKind::kWakeupArc) connect(span, heights.threads, span.pid, span.other);
  }
}

}  // namespace kutrace::emit
