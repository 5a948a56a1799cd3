// SPDX-License-Identifier: BSD-3-Clause
// Bytes as 7-bit text, see b128.h.
#include "emit/b128.h"

#include <array>
#include <cstring>

namespace kutrace {
namespace {

// A character's one or two bytes of UTF-8.
struct Character {
  std::array<char, 2> bytes{};
  std::uint8_t length = 1;
};

constexpr std::array<Character, 128> kCharacters = [] {
  std::array<Character, 128> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i].bytes[0] = static_cast<char>(i);
  all['\0'] = {{'\xc2', '\xa1'}, 2};
  all['\r'] = {{'\xc2', '\xa2'}, 2};
  all['<'] = {{'\xc2', '\xa3'}, 2};
  return all;
}();

// Both bytes are written; the second is overwritten where it does not count.
char* put_character(unsigned value, char* at) {
  const Character& character = kCharacters[value & 0x7f];
  std::memcpy(at, character.bytes.data(), character.bytes.size());
  return at + character.length;
}

}  // namespace

void append_b128(std::span<const std::uint8_t> bytes, std::string& out) {
  const std::size_t before = out.size();
  out.resize(before + (bytes.size() * 8 / 7 + 2) * 2);
  char* at = out.data() + before;
  unsigned held = 0;
  unsigned bits = 0;
  for (const std::uint8_t byte : bytes) {
    held |= static_cast<unsigned>(byte) << bits;
    bits += 8;
    while (bits >= 7) {
      at = put_character(held, at);
      held >>= 7;
      bits -= 7;
    }
  }
  if (bits > 0) at = put_character(held, at);
  out.resize(static_cast<std::size_t>(at - out.data()));
}

}  // namespace kutrace
