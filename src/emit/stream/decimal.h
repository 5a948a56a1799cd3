// SPDX-License-Identifier: BSD-3-Clause
// Whole numbers as text, for forms of which each span has many: patterns are read anew each time.
// In: a number; out: its digits, at the end of a text.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace kutrace::emit {

template <typename Number>
void append_decimal(std::string& text, Number value) {
  std::array<char, 24> digits{};
  text.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

}  // namespace kutrace::emit
