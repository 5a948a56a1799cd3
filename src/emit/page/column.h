// SPDX-License-Identifier: BSD-3-Clause
// A column of numbers as bytes: little-endian base-128, small values small. In: integers; out:
// bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace kutrace::emit {

class Column {
 public:
  void put(std::uint64_t value) {
    std::uint8_t* at = room(kMostBytes);
    std::size_t bytes = 1;
    while (value >= 0x80) {
      *at++ = static_cast<std::uint8_t>(value | 0x80);
      value >>= 7;
      ++bytes;
    }
    *at = static_cast<std::uint8_t>(value);
    size_ += bytes;
  }
  // Zigzag: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
  void put_signed(std::int64_t value) {
    put((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void put_byte(std::uint8_t value) {
    *room(1) = value;
    ++size_;
  }
  // The bytes of another column, as they are.
  void append(const Column& column) {
    const std::span<const std::uint8_t> other = column.bytes();
    std::ranges::copy(other, room(other.size()));
    size_ += other.size();
  }
  // A nested column: its length, then its bytes.
  void put_column(const Column& column) {
    put(column.size_);
    append(column);
  }

  // Empty again, with its room.
  void clear() { size_ = 0; }

  std::span<const std::uint8_t> bytes() const { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  static constexpr std::size_t kMostBytes = 10;  // of one number
  static constexpr std::size_t kFewestBytes = 56;

  // Where the next `count` bytes go.
  std::uint8_t* room(std::size_t count) {
    if (room_ - size_ < count) [[unlikely]] {
      grow(count);
    }
    return bytes_.get() + size_;
  }
  void grow(std::size_t count) {
    const std::size_t room = std::max(2 * room_ + count, kFewestBytes);
    auto more = std::make_unique_for_overwrite<std::uint8_t[]>(room);
    std::ranges::copy(bytes(), more.get());
    bytes_ = std::move(more);
    room_ = room;
  }

  std::unique_ptr<std::uint8_t[]> bytes_;  // room_ of them, of which the first size_ count
  std::size_t room_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kutrace::emit
