// SPDX-License-Identifier: BSD-3-Clause
// Escaping and formatting.
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kutrace {

namespace {

bool is_continuation(unsigned char c) { return (c & 0xc0) == 0x80; }

// Bytes of the valid UTF-8 character that starts at `at`, 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t left = text.size() - at;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return left >= 2 && is_continuation(byte(at + 1)) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    if (left < 3 || !is_continuation(byte(at + 1)) || !is_continuation(byte(at + 2))) return 0;
    const bool overlong = first == 0xe0 && byte(at + 1) < 0xa0;
    const bool surrogate = first == 0xed && byte(at + 1) >= 0xa0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xf0 && first < 0xf5) {
    if (left < 4) return 0;
    for (std::size_t i = 1; i < 4; ++i) {
      if (!is_continuation(byte(at + i))) return 0;
    }
    const bool overlong = first == 0xf0 && byte(at + 1) < 0x90;
    const bool too_large = first == 0xf4 && byte(at + 1) >= 0x90;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

}  // namespace

std::string printable(std::string_view bytes) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::ranges::all_of(bytes, is_plain)) return std::string(bytes);
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(bytes, at);
    const auto c = static_cast<unsigned char>(bytes[at]);
    if (length == 0 || c < 0x20 || c == 0x7f) {
      text += fmt::format("\\x{:02x}", c);
      ++at;
    } else {
      text += bytes.substr(at, length);
      at += length;
    }
  }
  return text;
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
  // Digit 0 ends a label; inside one (only in damaged traces) it shows as an underscore.
  constexpr std::string_view kAlphabet = "_abcdefghijklmnopqrstuvwxyz0123456789-./";
  static_assert(kAlphabet.size() == 40);
  std::string text;
  for (; value != 0; value /= 40) text += kAlphabet[value % 40];
  return text;
}

}  // namespace kutrace
