// SPDX-License-Identifier: BSD-3-Clause
// SVG as text, see svg_text.h.
#include "emit/figure/svg_text.h"

#include <fmt/format.h>

#include "base/append_format.h"
#include "base/markup.h"
#include "base/text.h"
#include "base/utf8.h"

namespace kutrace::emit {
namespace {

constexpr double kLetter = 6.5 / 11;       // width of one, in font sizes
constexpr double kMiddle = 0.35;           // of small letters above the baseline
constexpr std::size_t kFewestLetters = 4;  // before an ellipsis

std::size_t letters_of(std::string_view text) {
  std::size_t letters = 0;
  for (const char c : text) letters += continues_character(c) ? 0u : 1u;
  return letters;
}

// U+FFFE and U+FFFF are UTF-8, but no XML.
std::string without_noncharacters(std::string text) {
  for (const char* bad : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at = text.find(bad); at != text.npos; at = text.find(bad, at)) {
      text.replace(at, 3, "\xef\xbf\xbd");
    }
  }
  return text;
}

}  // namespace

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string svg_escaped(std::string_view text) {
  return markup_escaped(without_noncharacters(printable(text)));
}

double svg_text_width(std::string_view text, double size) {
  return static_cast<double>(letters_of(text)) * kLetter * size;
}

std::string svg_fitting(std::string_view text, double size, double width) {
  if (svg_text_width(text, size) <= width) return std::string(text);
  const double room = width / (kLetter * size) - 1;
  if (room < kFewestLetters) return {};
  auto left = static_cast<std::size_t>(room);
  std::size_t at = 0;
  for (; at < text.size(); at++) {
    if (continues_character(text[at])) continue;
    if (left == 0) break;
    left--;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string svg_fitting_label(std::string_view label, double size, double width) {
  const std::size_t digits = label.find_last_not_of("0123456789") + 1;
  const bool has_number =
      digits > 1 && digits < label.size() && (label[digits - 1] == '.' || label[digits - 1] == ' ');
  if (!has_number || svg_text_width(label, size) <= width) return svg_fitting(label, size, width);
  const std::string_view number = label.substr(digits - 1);
  const double room = width - svg_text_width(number, size);
  const std::string name = svg_fitting(label.substr(0, digits - 1), size, room);
  return name.empty() ? std::string(label) : name + std::string(number);
}

void SvgText::open(std::string_view tag) { text_ += fmt::format("<{}>\n", tag); }
void SvgText::close(std::string_view name) { text_ += fmt::format("</{}>\n", name); }

void SvgText::rect(double x, double y, double width, double height, Colour fill) {
  append_format(text_, "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                svg_number(x), svg_number(y), svg_number(width), svg_number(height),
                css_text(fill));
}

void SvgText::frame(double x, double y, double width, double height, Colour stroke) {
  append_format(
      text_, "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>\n",
      svg_number(x), svg_number(y), svg_number(width), svg_number(height), css_text(stroke));
}

void SvgText::text(double x, double y, std::string_view text, const Font& font) {
  append_format(text_, "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{}{}>{}</text>\n",
                svg_number(x), svg_number(y + kMiddle * font.size), svg_number(font.size),
                css_text(font.colour), font.bold ? R"( font-weight="bold")" : "",
                std::string_view(font.anchor) == "start"
                    ? std::string()
                    : fmt::format(R"( text-anchor="{}")", font.anchor),
                svg_escaped(text));
}

void SvgText::path(std::string_view data, std::string_view attributes) {
  append_format(text_, "<path d=\"{}\" {}/>\n", data, attributes);
}

void SvgText::element(std::string_view name, std::string_view text) {
  append_format(text_, "<{0}>{1}</{0}>\n", name, svg_escaped(text));
}

}  // namespace kutrace::emit
