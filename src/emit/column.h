// SPDX-License-Identifier: BSD-3-Clause
// A column of numbers as bytes: little-endian base-128, small values small. In: integers; out:
// bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kutrace {

class Column {
 public:
  void put(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  // Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
  void put_signed(std::int64_t value) {
    put((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void put_byte(std::uint8_t value) { bytes_.push_back(value); }
  // A nested column: its length, then its bytes.
  void put_column(const Column& column) {
    put(column.bytes_.size());
    bytes_.insert(bytes_.end(), column.bytes_.begin(), column.bytes_.end());
  }

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace kutrace
