// SPDX-License-Identifier: BSD-3-Clause
// Text of rows, see figure_names.h.
#include "emit/figure/figure_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "format/event_table.h"

namespace kutrace::emit {
namespace {

constexpr double kNameSize = 11;
constexpr double kLeastBar = 9;     // that holds a name
constexpr double kLowNameSize = 9;  // in rows that are too low for the other one
constexpr double kLeastLowBar = 7;
constexpr double kTick = 6;            // of a mark without a flag
constexpr std::size_t kFewMarks = 24;  // of a row that get flags: the bars matter more
constexpr unsigned kLowError = 65408;  // low 16 bits of -128

// Everything that a row's text needs to know of where it stands.
struct Band {
  double top;
  double height;
};

const char* fallback_name(SpanKind kind) {
  if (kind == SpanKind::kUser) return "user";
  return kind == SpanKind::kKernelThread ? "kernel thread" : "";
}

std::string result_text(unsigned low) {
  if (low < kLowError) return fmt::format("{}", low);
  const char* name = strerrorname_np(static_cast<int>(65536 - low));
  return name != nullptr ? name : fmt::format("-{}", 65536 - low);
}

class RowText {
 public:
  RowText(SvgText& svg, const FigurePlace& place, const FigureLayout& layout,
          const FigurePalette& palette, const NameTable& names)
      : svg_(svg),
        layout_(layout),
        palette_(palette),
        names_(names),
        band_{static_cast<double>(place.band_top(layout.lanes_of(place))),
              static_cast<double>(place.band_height(layout.lanes_of(place)))},
        whole_{static_cast<double>(place.band_top(0)), static_cast<double>(place.band_height(0))} {}

  void label(const FigureRow::Label& label) {
    const double from = std::max(0.0, label.reach.from / FigureLayout::kRatio);
    const double to = std::min<double>(layout_.plot_width, label.reach.to / FigureLayout::kRatio);
    switch (label.span.kind) {
      case SpanKind::kCExit:
        return wave(from, to);
      case SpanKind::kLoss:
        return loss(label.span, from, to);
      case SpanKind::kIdle:
      case SpanKind::kIdleLowPower:
        return;
      default:
        return name(label.span, from, to);
    }
  }

  void wait(const FigureRow::NamedWait& wait) {
    double from = std::max(0.0, wait.reach.from / FigureLayout::kRatio);
    double to = std::min<double>(layout_.plot_width, wait.reach.to / FigureLayout::kRatio);
    const WaitStyle& style = palette_.waits[wait.reason];
    const std::string text = fmt::format("waits: {}", style.name);
    const double wide = svg_text_width(text, 10) + 6;
    std::tie(from, to) = beside_marks(from, to);
    if (to - from < wide + 12) return;
    const double y = band_.top + band_.height * 0.55;
    svg_.rect(from + 6, y - 6, wide, 12, palette_.back);
    svg_.text(from + 9, y, text,
              {.size = 10, .colour = style.pale ? palette_.muted : palette_.text});
  }

  // Where they stand; other text keeps clear of them.
  void place_marks(const std::map<int, Span>& marks) {
    flags_ = marks.size() <= kFewMarks && whole_.height >= kLowBand;
    double free = 0;
    for (const auto& [x, span] : marks) {
      std::string text = flags_ && x >= free ? mark_text(span) : std::string();
      const double wide = text.empty() ? 0 : svg_flag_width(text);
      if (wide > 0) free = x + wide + 2;
      marks_.push_back(
          {x * 1.0, wide, palette_.marks[(span.event - ev::kMARK_A) & 3], std::move(text)});
    }
  }

  // Flags that never print over each other; what finds no room shows its staff only. Staffs first:
  // none runs through a flag.
  void marks() {
    const double staff = flags_ ? whole_.height : std::min(kTick, whole_.height);
    for (const Mark& mark : marks_) svg_.rect(mark.x, whole_.top, 1.5, staff, mark.colour);
    const double high = std::min(kFlagHeight, whole_.height);
    for (const Mark& mark : marks_)
      if (mark.wide > 0) svg_flag(svg_, mark.x, whole_.top, high, mark.text, mark.colour);
  }

 private:
  void name(const Span& span, double from, double to) {
    const double area = band_.height * 0.9;
    const double high = bar_height(span.kind, band_.height) * area;
    const bool low = band_.height < kLowBand;
    const double size = low ? kLowNameSize : kNameSize;
    if (high < (low ? kLeastLowBar : kLeastBar)) return;
    std::tie(from, to) = beside_marks(from, to);
    const std::string text = svg_fitting(full_name(span, names_), size, to - from - 6);
    if (text.empty()) return;
    svg_.text(from + 3, band_.top + area - high / 2, text, {.size = size, .colour = palette_.ink});
  }

  void wave(double from, double to) {
    svg_wave(svg_, {from, to}, band_.top + band_.height * 0.62, band_.height * 0.28, palette_);
  }

  // The widest part of a stretch in which no flag or staff stands.
  std::pair<double, double> beside_marks(double from, double to) const {
    if (!flags_) return {from, to};
    std::pair<double, double> widest{from, from};
    const auto end = [&](double at) {
      if (at - from > widest.second - widest.first) widest = {from, at};
    };
    for (const Mark& mark : marks_) {
      if (mark.x >= to) break;
      end(mark.x - 1);
      from = std::max(from, mark.x + std::max(2.0, mark.wide));
    }
    end(to);
    return widest;
  }

  void loss(const Span& span, double from, double to) {
    const std::string text = fmt::format("LOST: {}", loss_reason_name(span.arg & 255u));
    const double wide = svg_text_width(text, kNameSize) + 8;
    if (to - from < wide) return;
    const double x = (from + to - wide) / 2;
    const double middle = band_.top + band_.height / 2;
    svg_.rect(x - 3, middle - 9, wide + 6, 17, palette_.loss_b);
    svg_.text(x + 4, middle, text, {.size = kNameSize, .colour = palette_.loss_a});
  }

  std::string mark_text(const Span& span) const {
    if (span.event == ev::kMARK_D) return fmt::format("{}", span.arg);
    const std::string& name = names_.text(span.name);
    const bool prefixed = name.starts_with("mark_") && name.size() > 7 && name[6] == '=';
    return prefixed ? name.substr(7) : name;
  }

  struct Mark {
    double x;
    double wide;  // of its flag; 0: none
    Colour colour;
    std::string text;
  };

  SvgText& svg_;
  const FigureLayout& layout_;
  const FigurePalette& palette_;
  const NameTable& names_;
  Band band_;
  Band whole_;  // lanes included
  bool flags_ = false;
  std::vector<Mark> marks_;  // by place
};

}  // namespace

double svg_flag_width(std::string_view text) { return svg_text_width(text, kNameSize) + 8; }

void svg_flag(SvgText& svg, double x, double y, double height, std::string_view text,
              Colour colour) {
  svg.rect(x, y, svg_flag_width(text), height, colour);
  svg.text(x + 4, y + height / 2, text, {.size = kNameSize, .colour = 0xffffff});
}

void svg_wave(SvgText& svg, Reach reach, double middle, double swing,
              const FigurePalette& palette) {
  std::string data;
  for (double x = reach.from; x <= reach.to; x += 2) {
    const double turn = (x - reach.from) / (reach.to - reach.from) * 2 * std::numbers::pi;
    const double y = middle - std::sin(turn) * swing;
    data += fmt::format("{}{} {}", data.empty() ? 'M' : 'L', svg_number(x), svg_number(y));
  }
  const Colour colour = palette.body[static_cast<std::size_t>(SpanKind::kCExit)];
  svg.path(data, fmt::format(R"(fill="none" stroke="{}" stroke-width="2")", css_text(colour)));
}

std::string full_name(const Span& span, const NameTable& names) {
  const std::string& known = names.text(span.name);
  std::string name = !known.empty() ? known : fallback_name(span.kind);
  if (span.kind != SpanKind::kSyscall) return name;
  const auto low = static_cast<unsigned>(span.arg);
  const bool negative = low >= kLowError && low < 65536;
  std::string call =
      fmt::format("{}({})", name, negative ? static_cast<int>(low) - 65536 : static_cast<int>(low));
  return span.has_result ? fmt::format("{} = {}", call, result_text(low_bits(span.result))) : call;
}

void write_names(SvgText& svg, const FigureRow& row, const FigurePlace& place,
                 const FigureLayout& layout, const FigurePalette& palette, const NameTable& names) {
  RowText text(svg, place, layout, palette, names);
  text.place_marks(row.marks());
  for (const FigureRow::NamedWait& wait : row.named_waits()) text.wait(row.as_drawn(wait));
  for (const FigureRow::Label& label : row.labels()) text.label(label);
  text.marks();
}

}  // namespace kutrace::emit
