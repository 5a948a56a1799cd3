// SPDX-License-Identifier: BSD-3-Clause
// Spans to an SVG picture, see figure.h.
#include "emit/figure/figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/add_time.h"
#include "base/counted.h"
#include "emit/figure/figure_arcs.h"
#include "emit/figure/figure_layout.h"
#include "emit/figure/figure_legend.h"
#include "emit/figure/figure_locks.h"
#include "emit/figure/figure_names.h"
#include "emit/figure/svg_text.h"
#include "emit/figure/time_axis.h"

namespace kutrace::emit {
namespace {

constexpr EventNum kKernelSample = 0x281;
constexpr double kTickSpace = 110;  // units between ticks, about
constexpr int kRatio = FigureLayout::kRatio;

Ns inside(const Span& span, const TimeWindow& window) {
  return std::min(span.start + span.duration, window.end) - std::max(span.start, window.begin);
}

// Equal routines have equal colours; where they have no names, equal program counters.
std::size_t sample_colour(const Span& span, const NameTable& names) {
  const std::string_view name = span.name == kNoName ? std::string_view() : names.text(span.name);
  return name.empty() ? user_colour(static_cast<Pid>(span.value)) : name_colour(name);
}

std::string percent_text(double percent) {
  return percent >= 10     ? fmt::format("{:.0f} %", percent)
         : percent >= 0.05 ? fmt::format("{:.1f} %", percent)
                           : "<0.1 %";
}

// The machine, and how much of the window's CPU time is not known.
std::string where_text(const TraceInfo& info, const TimeWindow& window) {
  std::vector<std::string> facts = {info.host_name, info.kernel_version, info.cpu_model,
                                    counted(info.cpus.size(), "CPU", "CPUs")};
  Ns lost = 0;
  for (const LossRecord& loss : info.losses) {
    const Ns begin = std::max(loss.begin, window.begin);
    add_time(lost, std::max(begin, std::min(loss.end, window.end)) - begin);
  }
  if (lost > 0) facts.push_back(duration_text(lost) + " of CPU time lost");
  std::erase(facts, std::string());
  return fmt::format("{}", fmt::join(facts, " · "));
}

std::string when_text(const TraceInfo& info, const TimeWindow& window) {
  std::string text = fmt::format("{} to {}, {}", exact_time(window.begin), exact_time(window.end),
                                 duration_text(window.end - window.begin));
  if (info.wall_usec == 0) return text;
  const auto usec = static_cast<std::uint64_t>(std::max<Ns>(0, window.begin) / 1000);
  return text + " from " + wall_text(info.wall_usec + usec);
}

int pixels(double units) { return static_cast<int>(std::floor(units * kRatio + 0.5)); }

}  // namespace

void FigureSurvey::push(const Span& span) {
  kinds_[static_cast<std::size_t>(span.kind)] = true;
  const Ns time = inside(span, window_);
  if (time <= 0) return;
  if (span.kind == SpanKind::kWait) waited_.insert(span.pid);
  if (!is_execution(span.kind)) return;
  if (!is_idle(span.kind) && span.kind != SpanKind::kLoss) cpus_[span.cpu] += time;
  if (span.pid <= 0 || is_idle(span.kind)) return;
  Thread& thread = threads_[span.pid];
  thread.time += time;
  if (is_user(span.kind)) thread.name = span.name;
}

Ns FigureSurvey::busy(CpuId cpu) const {
  const auto found = cpus_.find(cpu);
  return found == cpus_.end() ? 0 : found->second;
}

std::vector<std::pair<Pid, Ns>> FigureSurvey::busiest(const FigureOptions& options) const {
  std::vector<std::pair<Pid, Ns>> all;
  for (const auto& [pid, thread] : threads_) {
    if (!options.only || options.only->contains(pid)) all.emplace_back(pid, thread.time);
  }
  for (const Pid pid : options.only.value_or(std::unordered_set<Pid>())) {
    if (waited_.contains(pid) && !threads_.contains(pid)) all.emplace_back(pid, 0);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (all.size() > options.threads) all.resize(options.threads);
  return all;
}

NameId FigureSurvey::user_name(Pid pid) const {
  const auto found = threads_.find(pid);
  return found == threads_.end() ? kNoName : found->second.name;
}

struct Figure::State {
  State(FigureOptions asked, TimeWindow window, const FigureSurvey& survey, const TraceInfo& facts,
        const NameTable& table);

  FigureRow* row_of(CpuId cpu);
  FigureRow* row_of(Pid pid);
  std::size_t colour_of(Pid pid) const;
  void execution(const Span& span);
  void overlay(const Span& span);
  void lock(const Span& span);
  void sample(const Span& span);
  void mark(const Span& span);

  void paint_paper();
  void paint_rows();
  void write_head(SvgText& svg) const;
  void write_axis(SvgText& svg) const;
  void write_gutter(SvgText& svg) const;
  void write_plot(SvgText& svg);
  void write_legend(SvgText& svg, int top) const;
  void write_pixels(SvgText& svg, const FigureRaster& pixels) const;
  int legend_width() const { return options.width - 2 * FigureLayout::kMargin; }

  FigureOptions options;
  const TraceInfo& info;
  const NameTable& names;
  FigureLayout layout;
  FigurePalette palette;
  FigureRaster raster;
  FigureArcs arcs;
  FigureLocks locks;
  FigureLegend legend;
  std::vector<FigureRow> rows;  // one for each of the layout's places
  std::map<CpuId, std::size_t> cpus;
  std::unordered_map<Pid, std::size_t> threads;
};

Figure::State::State(FigureOptions asked, TimeWindow window, const FigureSurvey& survey,
                     const TraceInfo& facts, const NameTable& table)
    : options(std::move(asked)),
      info(facts),
      names(table),
      layout(options, window, survey, facts, table),
      palette(make_palette(options.theme, options.scheme)),
      raster(layout.plot_width * kRatio, layout.plot_height * kRatio, palette.back),
      arcs(options.all_arcs),
      locks(layout.plot_width * kRatio) {
  for (std::size_t i = 0; i < layout.places.size(); i++) {
    const FigurePlace& place = layout.places[i];
    rows.emplace_back(layout.plot_width * kRatio, kRatio);
    if (place.sort == FigurePlace::Sort::kCpu) cpus[place.cpu] = i;
    if (place.sort == FigurePlace::Sort::kThread) threads[place.pid] = i;
  }
  paint_paper();
}

FigureRow* Figure::State::row_of(CpuId cpu) {
  const auto found = cpus.find(cpu);
  return found == cpus.end() ? nullptr : &rows[found->second];
}

FigureRow* Figure::State::row_of(Pid pid) {
  const auto found = threads.find(pid);
  return found == threads.end() ? nullptr : &rows[found->second];
}

// A process's threads share its colour.
std::size_t Figure::State::colour_of(Pid pid) const {
  const auto found = info.threads.find(pid);
  const bool known = found != info.threads.end() && found->second.process >= 0;
  return user_colour(known ? found->second.process : pid);
}

void Figure::State::execution(const Span& span) {
  const Reach reach = layout.reach(span);
  const std::size_t colour = colour_of(span.pid);
  if (FigureRow* row = row_of(span.cpu)) row->add_span(span, reach, colour);
  if (FigureRow* row = span.pid > 0 ? row_of(span.pid) : nullptr) {
    row->add_span(span, reach, colour);
  }
  legend.add(span.kind);
}

void Figure::State::lock(const Span& span) {
  const bool held = span.kind == SpanKind::kLockHeld;
  const Reach reach = layout.reach(span);
  if (held) locks.held(span.low_arg(), span.pid, reach);
  const auto found = threads.find(span.pid);
  if (found == threads.end()) return;
  if (!held) locks.wanted(span.low_arg(), span.pid, reach);
  const FigurePlace& place = layout.places[found->second];
  const int top =
      pixels(place.top + place.pad() + (layout.sample_lane ? FigurePlace::kLane : 0) + 1);
  const double end = std::max(reach.from + 1, reach.to);
  raster.fill(reach.from, end, top, top + 2 * kRatio, held ? palette.held : palette.wanted,
              held ? 0xffff : 0x7777);
  if (!held || end - reach.from < 6) return;
  raster.fill(reach.from, reach.from + kRatio, top - 1, top + 3 * kRatio, palette.held);
  raster.fill(end - kRatio, end, top - 1, top + 3 * kRatio, palette.held);
}

void Figure::State::sample(const Span& span) {
  if (span.pid <= 0 || !layout.sample_lane) return;
  const bool kernel = span.event == kKernelSample;
  const std::size_t colour = sample_colour(span, names);
  if (FigureRow* row = row_of(span.cpu)) row->add_sample(layout.reach(span), kernel, colour);
  if (FigureRow* row = row_of(span.pid)) row->add_sample(layout.reach(span), kernel, colour);
}

void Figure::State::mark(const Span& span) {
  const double x = layout.x(span.start) * kRatio;
  for (FigureRow* row : {row_of(span.cpu), row_of(span.pid)})
    if (row != nullptr && row->add_mark(span, x)) legend.add_mark();
}

void Figure::State::overlay(const Span& span) {
  switch (span.kind) {
    case SpanKind::kWait: {
      FigureRow* row = span.cpu != kNoCpu ? row_of(span.cpu) : row_of(span.pid);
      if (row == nullptr) return;
      row->add_wait(span.event & 31u, layout.reach(span));
      return legend.add_wait(span.event & 31u);
    }
    case SpanKind::kLockHeld:
    case SpanKind::kLockWanted:
      return lock(span);
    case SpanKind::kSample:
      return sample(span);
    case SpanKind::kMark:
      return mark(span);
    case SpanKind::kWakeupArc:
    case SpanKind::kIpiArc:
      if (options.arcs) arcs.add(span);
      return;
    default:
      return;
  }
}

void Figure::State::paint_paper() {
  const int width = raster.width();
  const TimeAxis axis =
      time_axis(layout.window.begin, layout.window.end, layout.plot_width / kTickSpace);
  for (const TimeAxis::Tick& tick : axis.ticks) {
    const double x = (tick.time - static_cast<double>(layout.window.begin)) * layout.scale;
    raster.fill(pixels(x), pixels(x) + 1, 0, raster.height(), palette.grid);
  }
  for (const FigurePlace& place : layout.places) {
    const int bottom = (place.top + place.height) * kRatio;
    if (place.sort == FigurePlace::Sort::kHeading) {
      raster.fill(0, width, place.top * kRatio, bottom, palette.header);
    }
    raster.fill(0, width, bottom - 1, bottom, palette.grid);
  }
  const double begin = layout.x(info.begin) * kRatio;
  const double end = layout.x(info.end) * kRatio;
  if (begin > 0) raster.fill(0, begin, 0, raster.height(), palette.header);
  if (end < width) raster.fill(end, width, 0, raster.height(), palette.header);
}

void Figure::State::paint_rows() {
  for (const FigureLocks::Stretch& stretch : locks.contended()) {
    FigureRow* row = row_of(stretch.pid);
    if (row != nullptr && row->add_contended(stretch.from, stretch.to)) {
      legend.add_wait(kContended);
    }
  }
  for (std::size_t i = 0; i < rows.size(); i++) {
    const FigurePlace& place = layout.places[i];
    const int lanes = layout.lanes_of(place);
    const bool cpu = place.sort == FigurePlace::Sort::kCpu;
    const double middle = place.band_top(lanes) + place.band_height(lanes) * 0.55;
    rows[i].paint_samples(raster, (place.top + place.pad()) * kRatio, palette, cpu);
    rows[i].paint_waits(raster, pixels(middle), palette);
    rows[i].paint_bars(raster, {place.band_top(lanes) * kRatio, place.band_height(lanes) * kRatio},
                       palette, cpu);
  }
}

void Figure::State::write_head(SvgText& svg) const {
  const double room = options.width - 2.0 * FigureLayout::kMargin;
  svg.element("title", options.title);
  svg.text(FigureLayout::kMargin, FigureLayout::kMargin + 8, svg_fitting(options.title, 16, room),
           {.size = 16, .colour = palette.text, .bold = true});
  const SvgText::Font small{.size = 11, .colour = palette.muted};
  svg.text(FigureLayout::kMargin, FigureLayout::kMargin + 27,
           svg_fitting(where_text(info, layout.window), small.size, room), small);
  svg.text(FigureLayout::kMargin, FigureLayout::kMargin + 42,
           svg_fitting(when_text(info, layout.window), small.size, room), small);
}

void Figure::State::write_axis(SvgText& svg) const {
  const TimeAxis axis =
      time_axis(layout.window.begin, layout.window.end, layout.plot_width / kTickSpace);
  const SvgText::Font font{.size = 11, .colour = palette.text, .anchor = "middle"};
  constexpr double kMiddle = FigureLayout::kPlotTop - 13;
  double free = 0;
  for (const TimeAxis::Tick& tick : axis.ticks) {
    const double x = (tick.time - static_cast<double>(layout.window.begin)) * layout.scale;
    svg.rect(FigureLayout::kPlotLeft + x - 0.5, FigureLayout::kPlotTop - 5, 1, 5, palette.text);
    const double half = svg_text_width(tick.label, font.size) / 2;
    if (x - half < free || x + half > layout.plot_width) continue;
    svg.text(FigureLayout::kPlotLeft + x, kMiddle, tick.label, font);
    free = x + half + 6;
  }
  if (axis.base > 0) {
    svg.text(FigureLayout::kPlotLeft - 8, kMiddle, exact_time(axis.base) + " +",
             {.size = 11, .colour = palette.muted, .anchor = "end"});
  }
  for (const LossRecord& loss : info.losses) {
    const double from = std::max(0.0, layout.x(loss.begin));
    const double to = std::min<double>(layout.plot_width, layout.x(loss.end));
    if (to < from) continue;
    svg.rect(FigureLayout::kPlotLeft + from, FigureLayout::kPlotTop - 5, std::max(2.0, to - from),
             4, palette.loss_a);
  }
}

void Figure::State::write_gutter(SvgText& svg) const {
  for (const FigurePlace& place : layout.places) {
    const double middle = FigureLayout::kPlotTop + place.top + place.height / 2.0;
    const bool heading = place.sort == FigurePlace::Sort::kHeading;
    if (heading) {
      svg.rect(FigureLayout::kMargin, FigureLayout::kPlotTop + place.top, FigureLayout::kNames,
               place.height, palette.header);
    }
    const double indent = heading ? 8 : 18;
    const double room = FigureLayout::kNames - indent - (heading ? 4 : 46);
    svg.text(FigureLayout::kMargin + indent, middle, svg_fitting_label(place.label, 12, room),
             {.size = 12, .colour = palette.text, .bold = heading});
    if (heading || place.busy <= 0) continue;
    svg.text(FigureLayout::kPlotLeft - 8, middle, percent_text(100 * place.busy),
             {.size = 10.5, .colour = palette.muted, .anchor = "end"});
  }
}

void Figure::State::write_pixels(SvgText& svg, const FigureRaster& pixels) const {
  svg.open(fmt::format(R"tag(g transform="scale({})" shape-rendering="crispEdges")tag",
                       svg_number(1.0 / kRatio)));
  for (const auto& [colour, data] : pixels.paths()) {
    svg.path(data, fmt::format(R"(fill="{}")", css_text(colour)));
  }
  svg.close("g");
}

void Figure::State::write_plot(SvgText& svg) {
  svg.open(R"(clipPath id="plot")");
  svg.rect(0, 0, layout.plot_width, layout.plot_height, 0);
  svg.close("clipPath");
  svg.open(fmt::format(R"tag(g id="rows" transform="translate({} {})" clip-path="url(#plot)")tag",
                       FigureLayout::kPlotLeft, FigureLayout::kPlotTop));
  write_pixels(svg, raster);
  for (std::size_t i = 0; i < rows.size(); i++) {
    write_names(svg, rows[i], layout.places[i], layout, palette, names);
  }
  arcs.write(svg, layout, palette);
  svg.close("g");
  svg.frame(FigureLayout::kPlotLeft - 0.5, FigureLayout::kPlotTop - 0.5, layout.plot_width + 1,
            layout.plot_height + 1, palette.muted);
}

void Figure::State::write_legend(SvgText& svg, int top) const {
  svg.open(fmt::format(R"tag(g id="legend" transform="translate({} {})")tag", FigureLayout::kMargin,
                       top));
  write_pixels(svg, legend.paint(legend_width(), palette));
  legend.write(svg, legend_width(), palette);
  svg.close("g");
}

Figure::Figure(FigureOptions options, TimeWindow window, const FigureSurvey& survey,
               const TraceInfo& info, const NameTable& names)
    : state_(std::make_unique<State>(std::move(options), window, survey, info, names)) {}
Figure::~Figure() = default;

void Figure::push(const Span& span) {
  State& s = *state_;
  if (span.start > s.layout.window.end || span.start + span.duration < s.layout.window.begin) {
    return;
  }
  if (is_execution(span.kind)) {
    s.execution(span);
  } else {
    s.overlay(span);
  }
}

std::string Figure::finish() {
  State& s = *state_;
  s.paint_rows();
  const int legend_top = FigureLayout::kPlotTop + s.layout.plot_height + 12;
  const int height = legend_top + (s.options.legend ? s.legend.height(s.legend_width()) : 0);
  SvgText svg;
  svg.open(fmt::format(R"(svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" )"
                       R"(viewBox="0 0 {0} {1}" font-family="system-ui, Helvetica, Arial, )"
                       R"(sans-serif")",
                       s.options.width, height));
  svg.rect(0, 0, s.options.width, height, s.palette.back);
  s.write_head(svg);
  s.write_axis(svg);
  s.write_gutter(svg);
  s.write_plot(svg);
  if (s.options.legend) s.write_legend(svg, legend_top);
  svg.close("svg");
  return svg.str();
}

}  // namespace kutrace::emit
