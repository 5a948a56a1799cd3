// SPDX-License-Identifier: BSD-3-Clause
// Bytes as text that is safe inside an HTML script element: 7 bits a character, in UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace {

// Appends the text for `bytes`. Characters are U+0000..U+007F, except that NUL, CR and '<' become
// U+00A1, U+00A2 and U+00A3: those three alone would not survive an HTML parser.
// Bits are taken low first; the last character is padded with zero bits.
void append_b128(std::span<const std::uint8_t> bytes, std::string& out);

// The bytes that a text of append_b128's stands for; nothing if a character cannot be of it.
std::optional<std::vector<std::uint8_t>> decode_b128(std::string_view text);

}  // namespace kutrace
