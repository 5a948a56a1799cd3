// SPDX-License-Identifier: BSD-3-Clause
// Numbers as binary forms have them. In: a number; out: its bytes, at the end of others.
#pragma once

#include <cstdint>
#include <string>

namespace kutrace::emit {

// Seven bits a byte, the low ones first; the top bit says that another byte follows (LEB128).
inline void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

// The low `size` bytes, the lowest first.
inline void append_little_endian(std::string& bytes, std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
}

}  // namespace kutrace::emit
