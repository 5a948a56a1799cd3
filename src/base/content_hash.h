// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a over whatever makes two files, or two things in them, differ. In: numbers and texts; out:
// 64 or 31 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace kutrace {

class ContentHash {
 public:
  // With another `seed` all is different.
  explicit ContentHash(std::uint64_t seed = 0) : value_(kBasis ^ seed) {}

  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(value >> (8 * i)));
  }
  // "ab" and "c" are not "a" and "bc".
  void add(std::string_view text) {
    add_bytes(text);
    add(text.size());
  }
  void add_bytes(std::string_view text) {
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return value_; }
  std::uint32_t folded() const {
    return static_cast<std::uint32_t>((value_ >> 32 ^ value_) & 0x7fff'ffff);
  }

 private:
  void byte(unsigned char b) { value_ = (value_ ^ b) * 0x100000001b3; }

  static constexpr std::uint64_t kBasis = 0xcbf29ce484222325;
  std::uint64_t value_;
};

}  // namespace kutrace
