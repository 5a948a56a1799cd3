// SPDX-License-Identifier: BSD-3-Clause
// Lengths and controls of UTF-8 characters.
#include "base/utf8.h"

#include <algorithm>
#include <array>

namespace kutrace {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  const bool too_high = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || too_high ? 0 : length;
}

bool is_control_character(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  // C1 controls, which some terminals obey like those below 0x20.
  if (first == 0xc2) return static_cast<unsigned char>(character[1]) < 0xa0;
  // Unicode's marks, embeddings, overrides and isolates of direction; its line and paragraph ends.
  static constexpr std::array<std::string_view, 14> kControls = {
      "\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
      "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069",
  };
  return std::ranges::find(kControls, character) != kControls.end();
}

}  // namespace kutrace
