// SPDX-License-Identifier: BSD-3-Clause
// JSON as text, see json_text.h. Bytes that are not UTF-8 become U+FFFD.
#include "base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/append_format.h"
#include "base/utf8.h"

namespace kutrace {
namespace {

// ASCII that stands for itself.
bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (;;) {
    const auto plain = std::ranges::find_if_not(text, is_plain) - text.begin();
    out += text.substr(0, static_cast<std::size_t>(plain));
    text.remove_prefix(static_cast<std::size_t>(plain));
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0) {
      out += "\\ufffd";
    } else if (first < 0x20 || first == 0x7f) {
      out += fmt::format("\\u{:04x}", unsigned{first});
    } else {
      if (first == '"' || first == '\\') out += '\\';
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace

void JsonText::separate() {
  if (comma_) text_ += ',';
  comma_ = true;
}

JsonText& JsonText::begin_object() {
  separate();
  text_ += '{';
  comma_ = false;
  return *this;
}

JsonText& JsonText::begin_answer(std::string_view schema) {
  return begin_object().key("schema").value("kutrace." + std::string(schema));
}

JsonText& JsonText::end_object() {
  text_ += '}';
  comma_ = true;
  return *this;
}

JsonText& JsonText::begin_array() {
  separate();
  text_ += '[';
  comma_ = false;
  return *this;
}

JsonText& JsonText::end_array() {
  text_ += ']';
  comma_ = true;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  append_quoted(name, text_);
  text_ += ':';
  comma_ = false;
  return *this;
}

JsonText& JsonText::value(std::string_view text) {
  separate();
  append_quoted(text, text_);
  return *this;
}

JsonText& JsonText::value(std::int64_t number) {
  separate();
  const fmt::format_int digits(number);
  text_.append(digits.data(), digits.size());
  return *this;
}

JsonText& JsonText::value(std::uint64_t number) {
  separate();
  const fmt::format_int digits(number);
  text_.append(digits.data(), digits.size());
  return *this;
}

JsonText& JsonText::truth(bool flag) {
  separate();
  text_ += flag ? "true" : "false";
  return *this;
}

JsonText& JsonText::value(double number) {
  separate();
  if (std::isfinite(number)) {
    append_format(text_, "{}", number);
  } else {
    text_ += "null";
  }
  return *this;
}

}  // namespace kutrace
