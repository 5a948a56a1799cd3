// SPDX-License-Identifier: BSD-3-Clause
// Numbers of any number of bits, one behind the other. In: numbers; out: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kutrace::test {

class BitWriter {
 public:
  explicit BitWriter(bool is_big_endian) : is_big_endian_(is_big_endian) {}

  std::size_t bits() const { return bits_; }
  const std::string& bytes() const { return bytes_; }
  BitWriter& align(std::size_t bits) {
    while (bits_ % bits != 0) put_bit(false);
    return *this;
  }
  BitWriter& put(std::uint64_t value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i)
      put_bit((value >> (is_big_endian_ ? bits - 1 - i : i) & 1) != 0);
    return *this;
  }
  BitWriter& text(std::string_view text, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      put(i < text.size() ? static_cast<unsigned char>(text[i]) : 0, 8);
    return *this;
  }

 private:
  void put_bit(bool is_set) {
    if (bits_ % 8 == 0) bytes_ += '\0';
    const auto place = static_cast<unsigned>(is_big_endian_ ? 7 - bits_ % 8 : bits_ % 8);
    if (is_set)
      bytes_.back() = static_cast<char>(static_cast<unsigned char>(bytes_.back()) | 1U << place);
    ++bits_;
  }

  bool is_big_endian_;
  std::size_t bits_ = 0;
  std::string bytes_;
};

}  // namespace kutrace::test
