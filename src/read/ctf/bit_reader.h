// SPDX-License-Identifier: BSD-3-Clause
// Numbers of any number of bits. In: bytes, and where in them, in bits; out: the number that stands
// there. In little-endian bytes the first bit is the lowest of its byte, in big-endian ones the
// highest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "format/trace_clock.h"

namespace kutrace::read {

constexpr unsigned kByteBits = 8;
constexpr unsigned kMostBits = 64;

// `bits` is 1 to 64, and all of them lie within the bytes.
inline std::uint64_t bits_at(std::span<const std::byte> bytes, std::uint64_t at, unsigned bits,
                             bool is_big_endian) {
  const std::size_t first = at / kByteBits;
  const auto skipped = static_cast<unsigned>(at % kByteBits);
  const std::uint64_t mask = ~std::uint64_t{0} >> (kMostBits - bits);
  if (skipped + bits <= kMostBits && bytes.size() - first >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + first, sizeof word);
    if (!is_big_endian) return word >> skipped & mask;
    return __builtin_bswap64(word) << skipped >> (kMostBits - bits);
  }
  const std::size_t last = (at + bits - 1) / kByteBits;
  UnsignedWide word = 0;
  for (std::size_t i = first; i <= last; ++i) {
    const UnsignedWide byte = std::to_integer<unsigned>(bytes[i]);
    word = is_big_endian ? word << kByteBits | byte : word | byte << (kByteBits * (i - first));
  }
  const auto held = static_cast<unsigned>((last - first + 1) * kByteBits);
  return static_cast<std::uint64_t>(word >> (is_big_endian ? held - skipped - bits : skipped)) &
         mask;
}

inline std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
  const unsigned unused = kMostBits - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace kutrace::read
