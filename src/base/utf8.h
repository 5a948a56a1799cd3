// SPDX-License-Identifier: BSD-3-Clause
// Characters of UTF-8 (RFC 3629) in text of unknown origin.
#pragma once

#include <cstddef>
#include <string_view>

namespace kutrace {

// How many bytes the first character of `text`, which must not be empty, has; 0 if it is not valid.
std::size_t utf8_length(std::string_view text);

// Whether the byte is of a character that began before it.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// Whether one valid character shows nothing itself, but controls a terminal, or the direction or
// the lines of the text around it.
bool is_control_character(std::string_view character);

}  // namespace kutrace
