// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a over whatever makes two files differ. In: numbers and texts; out: 64 or 31 bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace kutrace::emit {

class ContentHash {
 public:
  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(value >> (8 * i)));
  }
  void add(std::string_view text) {
    for (const char c : text) byte(static_cast<unsigned char>(c));
    add(text.size());
  }
  std::uint64_t value() const { return value_; }
  std::uint32_t folded() const {
    return static_cast<std::uint32_t>((value_ >> 32 ^ value_) & 0x7fff'ffff);
  }

 private:
  void byte(unsigned char b) { value_ = (value_ ^ b) * 0x100000001b3; }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace kutrace::emit
