// SPDX-License-Identifier: BSD-3-Clause
// Bytes as 7-bit text, see b128.h.
#include "emit/b128.h"

namespace kutrace {
namespace {

void append_character(unsigned value, std::string& out) {
  switch (value) {
    case '\0':
      out += "\xc2\xa1";
      return;
    case '\r':
      out += "\xc2\xa2";
      return;
    case '<':
      out += "\xc2\xa3";
      return;
    default:
      out += static_cast<char>(value);
  }
}

}  // namespace

void append_b128(std::span<const std::uint8_t> bytes, std::string& out) {
  out.reserve(out.size() + bytes.size() * 6 / 5 + 16);
  unsigned held = 0;
  unsigned bits = 0;
  for (const std::uint8_t byte : bytes) {
    held |= static_cast<unsigned>(byte) << bits;
    bits += 8;
    while (bits >= 7) {
      append_character(held & 0x7f, out);
      held >>= 7;
      bits -= 7;
    }
  }
  if (bits > 0) append_character(held & 0x7f, out);
}

}  // namespace kutrace
