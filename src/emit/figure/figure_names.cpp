// SPDX-License-Identifier: BSD-3-Clause
// Text of rows, see figure_names.h.
#include "emit/figure/figure_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "format/event_table.h"

namespace kutrace::emit {
namespace {

constexpr double kNameSize = 11;
constexpr double kLeastBar = 9;     // that holds a name
constexpr double kLowNameSize = 9;  // in rows that are too low for the other one
constexpr double kLeastLowBar = 7;
constexpr double kFlagHeight = 14;
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
    const double from = std::max(0.0, wait.reach.from / FigureLayout::kRatio);
    const double to = std::min<double>(layout_.plot_width, wait.reach.to / FigureLayout::kRatio);
    const WaitStyle& style = palette_.waits[wait.reason];
    const std::string text = fmt::format("waits: {}", style.name);
    const double wide = svg_text_width(text, 10) + 6;
    if (to - from < wide + 12) return;
    const double y = band_.top + band_.height * 0.55;
    svg_.rect(from + 6, y - 6, wide, 12, palette_.back);
    svg_.text(from + 9, y, text,
              {.size = 10, .colour = style.pale ? palette_.muted : palette_.text});
  }

  // Flags that never print over each other; what finds no room shows its staff only.
  void marks(const std::map<int, Span>& marks) {
    const bool flags = marks.size() <= kFewMarks && whole_.height >= kLowBand;
    double free = 0;
    for (const auto& [x, span] : marks) {
      const Colour colour = palette_.marks[(span.event - ev::kMARK_A) & 3];
      svg_.rect(x, whole_.top, 1.5, flags ? whole_.height : std::min(kTick, whole_.height), colour);
      if (!flags || x < free) continue;
      const std::string text = mark_text(span);
      const double wide = svg_text_width(text, kNameSize) + 8;
      const double high = std::min(kFlagHeight, whole_.height);
      free = x + wide + 2;
      svg_.rect(x, whole_.top, wide, high, colour);
      svg_.text(x + 4.0, whole_.top + high / 2, text, {.size = kNameSize, .colour = 0xffffff});
    }
  }

 private:
  void name(const Span& span, double from, double to) {
    const double area = band_.height * 0.9;
    const double high = bar_height(span.kind, band_.height) * area;
    const bool low = band_.height < kLowBand;
    const double size = low ? kLowNameSize : kNameSize;
    if (high < (low ? kLeastLowBar : kLeastBar)) return;
    const std::string text = svg_fitting(full_name(span, names_), size, to - from - 6);
    if (text.empty()) return;
    svg_.text(from + 3, band_.top + area - high / 2, text, {.size = size, .colour = palette_.ink});
  }

  void wave(double from, double to) {
    const double middle = band_.top + band_.height * 0.62;
    std::string data;
    for (double x = from; x <= to; x += 2) {
      const double turn = (x - from) / (to - from) * 2 * std::numbers::pi;
      const double y = middle - std::sin(turn) * band_.height * 0.28;
      data += fmt::format("{}{} {}", data.empty() ? 'M' : 'L', svg_number(x), svg_number(y));
    }
    const Colour colour = palette_.body[static_cast<std::size_t>(SpanKind::kCExit)];
    svg_.path(data, fmt::format(R"(fill="none" stroke="{}" stroke-width="2")", css_text(colour)));
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

  SvgText& svg_;
  const FigureLayout& layout_;
  const FigurePalette& palette_;
  const NameTable& names_;
  Band band_;
  Band whole_;  // lanes included
};

}  // namespace

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
  for (const FigureRow::NamedWait& wait : row.named_waits()) text.wait(row.as_drawn(wait));
  for (const FigureRow::Label& label : row.labels()) text.label(label);
  text.marks(row.marks());
}

}  // namespace kutrace::emit
