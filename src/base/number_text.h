// SPDX-License-Identifier: BSD-3-Clause
// In: text; out: the number that all of it is, if it is one that fits. Nothing throws.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace kutrace {

template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, base);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

}  // namespace kutrace
