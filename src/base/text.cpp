// SPDX-License-Identifier: BSD-3-Clause
// Escaping and formatting.
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include "base/octal.h"
#include "base/utf8.h"

namespace kutrace {

namespace {

// Digit 0 ends a label; inside one (only in damaged traces) it shows as an underscore.
constexpr std::string_view kBase40 = "_abcdefghijklmnopqrstuvwxyz0123456789-./";
static_assert(kBase40.size() == 40);

}  // namespace

std::string printable(std::string_view bytes) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::ranges::all_of(bytes, is_plain)) return std::string(bytes);
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(bytes.substr(at));
    const std::string_view character = bytes.substr(at, length);
    if (length != 0 && !is_control_character(character)) {
      text += character;
    } else {
      for (std::size_t i = 0; i < std::max<std::size_t>(length, 1); ++i)
        append_octal(text, bytes, at + i);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return text;
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::string json_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string byte_size(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"bytes", "KB", "MB", "GB", "TB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string base40_text(std::uint32_t value) {
  std::string text;
  for (; value != 0; value /= 40) text += kBase40[value % 40];
  return text;
}

bool is_base40(std::string_view text) {
  return text.find_first_not_of(kBase40.substr(1)) == std::string_view::npos;
}

}  // namespace kutrace
