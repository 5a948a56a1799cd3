// SPDX-License-Identifier: BSD-3-Clause
// Tokens of JSON.
#include "base/json_scanner.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace kutrace {

namespace {

constexpr Ns kLongestTime = 4'000'000'000'000'000'000;  // 127 years
constexpr double kMostInteger = 9e18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool ends_number(char c) {
  return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::optional<double> as_double(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

// The four hex digits of \uXXXX at `at`.
std::optional<std::uint32_t> hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  std::uint32_t code = 0;
  const char* begin = text.data() + at;
  const auto parsed = std::from_chars(begin, begin + 4, code, 16);
  if (parsed.ec != std::errc() || parsed.ptr != begin + 4) return std::nullopt;
  return code;
}

// The character of the escape \u.... whose digits start at `at`; moves `at` behind it.
std::optional<std::uint32_t> unicode_escape(std::string_view text, std::size_t& at) {
  const auto high = hex4(text, at);
  if (!high) return std::nullopt;
  at += 4;
  if (*high < 0xd800 || *high > 0xdfff) return high;
  constexpr std::uint32_t kReplacement = 0xfffd;
  if (*high > 0xdbff || text.substr(at, 2) != "\\u") return kReplacement;
  const auto low = hex4(text, at + 2);
  if (!low || *low < 0xdc00 || *low > 0xdfff) return kReplacement;
  at += 6;
  return 0x10000 + ((*high & 0x3ff) << 10 | (*low & 0x3ff));
}

char simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case '"':
    case '\\':
    case '/':
    case '\'':  // a page's script may escape it
      return c;
    default:
      return '\0';
  }
}

}  // namespace

std::string_view JsonScanner::raw_string() {
  if (!take('"')) {
    fail("a string is expected");
    return {};
  }
  const std::size_t begin = at_;
  for (;;) {
    at_ = text_.find_first_of("\"\\", at_);
    if (at_ == std::string_view::npos) {
      at_ = text_.size();
      fail("a string does not end");
      return {};
    }
    if (text_[at_] == '"') return text_.substr(begin, at_++ - begin);
    at_ = std::min(at_ + 2, text_.size());
  }
}

JsonScanner::Number JsonScanner::number() {
  skip_blanks();
  Number number;
  const std::size_t begin = at_;
  if (at_ < text_.size() && text_[at_] == '-') ++at_;
  const std::size_t digits = at_;
  while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    number.plain = false;
    while (at_ < text_.size() && !ends_number(text_[at_])) ++at_;
  }
  if (at_ == digits || !is_digit(text_[digits])) fail("a number is expected");
  number.text = text_.substr(begin, at_ - begin);
  return number;
}

std::int64_t JsonScanner::integer() {
  const Number number = this->number();
  if (failed()) return 0;
  if (number.plain) {
    std::int64_t value = 0;
    const char* begin = number.text.data();
    const char* end = begin + number.text.size();
    const auto parsed = std::from_chars(begin, end, value);
    if (parsed.ec == std::errc() && (parsed.ptr == end || *parsed.ptr == '.')) return value;
  }
  const auto value = as_double(number.text);
  if (!value || std::abs(*value) > kMostInteger) {
    fail("a number is out of range");
    return 0;
  }
  return static_cast<std::int64_t>(*value);
}

// A number of units of so many nanoseconds, which is a power of ten.
Ns JsonScanner::time(std::int64_t unit) {
  const std::int64_t most = kLongestTime / unit;
  const Number number = this->number();
  if (failed()) return 0;
  if (!number.plain) {
    const auto value = as_double(number.text);
    if (!value || std::abs(*value) > static_cast<double>(most)) {
      fail("a time is out of range");
      return 0;
    }
    return std::llround(*value * static_cast<double>(unit));
  }
  std::string_view text = number.text;
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  std::int64_t whole = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != '.'; ++at) {
    whole = whole * 10 + (text[at] - '0');
    if (whole > most) {
      fail("a time is out of range");
      return 0;
    }
  }
  std::int64_t fraction = 0;
  std::int64_t place = unit;
  for (++at; at < text.size() && text[at] != '.'; ++at) {
    if (place == 1) {
      fraction += text[at] >= '5' ? 1 : 0;
      break;
    }
    place /= 10;
    fraction += (text[at] - '0') * place;
  }
  const Ns value = whole * unit + fraction;
  return negative ? -value : value;
}

void JsonScanner::skip_word() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && !ends_number(text_[at_])) ++at_;
  const std::string_view word = text_.substr(begin, at_ - begin);
  if (word != "true" && word != "false" && word != "null" && !as_double(word)) {
    fail("a value is expected");
  }
}

std::string_view JsonScanner::skip_value() {
  skip_blanks();
  const std::size_t begin = at_;
  int depth = 0;
  do {
    const char c = peek();
    if (c == '{' || c == '[') {
      ++at_;
      if (++depth > kMaxDepth) fail("values are nested too deeply");
    } else if ((c == '}' || c == ']') && depth > 0) {
      ++at_;
      --depth;
    } else if (c == '"') {
      raw_string();
    } else if ((c == ',' || c == ':') && depth > 0) {
      ++at_;
    } else if (c == '\0') {
      fail("a value is expected");
    } else {
      skip_word();
    }
  } while (depth > 0 && !failed());
  return text_.substr(begin, at_ - begin);
}

std::string json_unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '\\' || at + 1 == raw.size()) {
      out += raw[at++];
      continue;
    }
    const char letter = raw[at + 1];
    std::size_t after = at + 2;
    if (letter == 'u') {
      if (const auto code = unicode_escape(raw, after)) {
        append_utf8(*code, out);
        at = after;
        continue;
      }
    }
    if (const char simple = simple_escape(letter); simple != '\0') {
      out += simple;
    } else {
      out += raw.substr(at, 2);
    }
    at = after;
  }
  return out;
}

}  // namespace kutrace
