// SPDX-License-Identifier: BSD-3-Clause
// In: text; out: the number that all of it is, if it is one that fits. Nothing throws. `base` is
// of whole numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace kutrace {

template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const last = text.data() + text.size();
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<Number>) {
    result = std::from_chars(text.data(), last, number);
  } else {
    result = std::from_chars(text.data(), last, number, base);
  }
  if (result.ec != std::errc() || result.ptr != last) return std::nullopt;
  return number;
}

}  // namespace kutrace
