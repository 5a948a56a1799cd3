// SPDX-License-Identifier: BSD-3-Clause
// Text of unknown origin made safe to show, and small formatting that several layers need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace {

// Keeps valid UTF-8. What controls a terminal or the direction of text, and bytes that are not
// UTF-8, become \xHH.
std::string printable(std::string_view bytes);

// For the inside of a JSON string, without its quotes. `text` must be valid UTF-8 (see printable).
std::string json_escaped(std::string_view text);

// The same for bytes of unknown origin.
inline std::string json_printable(std::string_view bytes) { return json_escaped(printable(bytes)); }

// The words between blanks.
std::vector<std::string> split_words(const std::string& text);

// "00ff7e": two digits for each byte.
std::string hexadecimal(std::span<const std::byte> bytes);

// "12,345,678"
std::string grouped(std::uint64_t number);

// "1.5 KB", "64.0 MB", in powers of 1024.
std::string byte_size(std::uint64_t bytes);

// Base-40 label of mark_a..mark_c: up to 6 of a-z 0-9 - . /
std::string base40_text(std::uint32_t value);
// Whether all characters are letters of base 40.
bool is_base40(std::string_view text);

}  // namespace kutrace
