// SPDX-License-Identifier: BSD-3-Clause
// Characters of UTF-8 (RFC 3629) in text of unknown origin.
#pragma once

#include <cstddef>
#include <string_view>

namespace kutrace {

// Bytes of the valid character that `text`, which is not empty, begins with; 0 if it begins with
// none.
std::size_t utf8_length(std::string_view text);

// Whether the valid character, whole, shows nothing by itself but controls a terminal or the
// direction or lines of the text around it.
bool is_control_character(std::string_view character);

}  // namespace kutrace
