// SPDX-License-Identifier: BSD-3-Clause
// Bytes as 7-bit text, see b128.h.
#include "base/b128.h"

#include <array>
#include <bit>
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

constexpr std::uint8_t kSkipped = 0x80;
constexpr std::uint8_t kForeign = 0x81;

// What each byte of the text stands for. The first byte of a character of two says nothing.
constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> all{};
  all.fill(kForeign);
  for (std::size_t i = 0; i < kCharacters.size(); ++i) {
    const Character& character = kCharacters[i];
    all[static_cast<unsigned char>(character.bytes[character.length - 1u])] =
        static_cast<std::uint8_t>(i);
  }
  all[0xc2] = kSkipped;
  return all;
}();

// Both bytes are written; the second is overwritten where it does not count.
char* put_character(unsigned value, char* at) {
  const Character& character = kCharacters[value & 0x7f];
  std::memcpy(at, character.bytes.data(), character.bytes.size());
  return at + character.length;
}

constexpr std::uint64_t kEach = 0x0101010101010101;  // times a byte: that byte eight times

// Seven bytes as eight of seven bits.
constexpr std::uint64_t spread(std::uint64_t bits) {
  bits = (bits & 0x00ff'ffff'f000'0000) << 4 | (bits & 0x0000'0000'0fff'ffff);
  bits = (bits & 0x0fff'c000'0fff'c000) << 2 | (bits & 0x0000'3fff'0000'3fff);
  return (bits & 0x3f80'3f80'3f80'3f80) << 1 | (bits & 0x007f'007f'007f'007f);
}

// The top bit of each of eight values below 128 that is `value`.
constexpr std::uint64_t where(std::uint64_t values, char value) {
  const std::uint64_t differs = values ^ (kEach * static_cast<unsigned char>(value));
  return ~(differs + kEach * 0x7f) & (kEach * 0x80);
}

// All eight are written at once; each that needs two bytes moves those behind it.
char* put_eight(std::uint64_t values, char* at) {
  char* const end = at + sizeof values;
  std::uint64_t two = where(values, '\0') | where(values, '\r') | where(values, '<');
  std::memcpy(at, &values, sizeof values);
  std::ptrdiff_t moved = 0;
  for (; two != 0; two &= two - 1) {
    const int place = std::countr_zero(two) / 8;
    const std::uint64_t rest = values >> (8 * place);
    const Character& character = kCharacters[rest & 0x7f];
    char* const here = at + place + moved++;
    std::memcpy(here + 1, &rest, sizeof rest);  // what follows it, and itself in front of that
    std::memcpy(here, character.bytes.data(), character.bytes.size());
  }
  return end + moved;
}

char* put_all(std::span<const std::uint8_t> bytes, char* at) {
  for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(7)) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes.data(), sizeof eight);
    at = put_eight(spread(eight), at);
  }
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
  return at;
}

}  // namespace

void append_b128(std::span<const std::uint8_t> bytes, std::string& out) {
  static_assert(std::endian::native == std::endian::little);
  const std::size_t before = out.size();
  // Nothing is written that is not asked for: a large text is not to be touched twice.
  out.resize_and_overwrite(before + (bytes.size() * 8 / 7 + 2) * 2, [&](char* text, std::size_t) {
    return static_cast<std::size_t>(put_all(bytes, text + before) - text);
  });
}

std::optional<std::vector<std::uint8_t>> decode_b128(std::string_view text) {
  std::vector<std::uint8_t> out(text.size() * 7 / 8 + 1);
  std::size_t size = 0;
  unsigned held = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kSkipped) continue;
    if (value == kForeign) return std::nullopt;
    held |= static_cast<unsigned>(value) << bits;
    bits += 7;
    if (bits < 8) continue;
    out[size++] = static_cast<std::uint8_t>(held);
    held >>= 8;
    bits -= 8;
  }
  out.resize(size);
  return out;
}

}  // namespace kutrace
