// SPDX-License-Identifier: BSD-3-Clause
// A column of numbers as bytes: little-endian base-128, small values small. In: integers; out:
// bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace kutrace::emit {

class Column {
 public:
  void put(std::uint64_t value) { ends_at(put_at(room(kMostBytes), value)); }
  // For many in a row: room for so many numbers, where put_at() writes each behind the one before,
  // until ends_at() is told where the last one ends.
  std::uint8_t* room_for(std::size_t numbers) { return room(numbers * kMostBytes); }
  void ends_at(const std::uint8_t* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }
  // Where the next one goes. Most take one byte to four, which nothing foretells: no branch then.
  static std::uint8_t* put_at(std::uint8_t* at, std::uint64_t value) {
    if (value >> 28 != 0) [[unlikely]] {
      return put_long(at, value);
    }
    const auto low = static_cast<std::uint32_t>(value);
    const std::uint32_t spread =
        (low & 0x7f) | (low & 0x3f80) << 1 | (low & 0x1fc000) << 2 | (low & 0xfe00000) << 3;
    const std::size_t bytes = kBytes[static_cast<std::size_t>(std::bit_width(low | 1))];
    const std::uint32_t all = spread | kGoOn[bytes];
    std::memcpy(at, &all, sizeof all);
    return at + bytes;
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
    std::uint8_t* const at = room(column.size_);
    if (column.size_ != 0) std::memcpy(at, column.bytes_.get(), column.size_);
    size_ += column.size_;
  }
  // A nested column: its length, then its bytes.
  void put_column(const Column& column) {
    put(column.size_);
    append(column);
  }

  // Bytes that put_column() writes.
  static std::size_t nested_size(const Column& column) {
    const auto bits = static_cast<std::size_t>(std::bit_width(column.size_ | 1));
    return (bits + 6) / 7 + column.size_;
  }

  // Room for so many bytes more, and not much beyond.
  void reserve(std::size_t bytes) {
    if (room_ - size_ < bytes) move_to_room(size_ + bytes);
  }
  // Empty again, with its room.
  void clear() { size_ = 0; }

  std::span<const std::uint8_t> bytes() const { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  static constexpr std::size_t kMostBytes = 10;  // of one number
  // How many a number of so many bits takes, and the bits that say that more of them follow.
  static constexpr std::array<std::uint8_t, 29> kBytes = [] {
    std::array<std::uint8_t, 29> all{};
    for (std::size_t bits = 1; bits < all.size(); ++bits) {
      all[bits] = static_cast<std::uint8_t>((bits + 6) / 7);
    }
    return all;
  }();
  static constexpr std::array<std::uint32_t, 5> kGoOn{0, 0, 0x80, 0x8080, 0x808080};
  static_assert(std::endian::native == std::endian::little);

  static std::uint8_t* put_long(std::uint8_t* at, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::uint8_t>(value | 0x80);
    *at++ = static_cast<std::uint8_t>(value);
    return at;
  }
  static constexpr std::size_t kFewestBytes = 56;

  // Where the next `count` bytes go.
  std::uint8_t* room(std::size_t count) {
    if (room_ - size_ < count) [[unlikely]] {
      grow(count);
    }
    return bytes_.get() + size_;
  }
  void grow(std::size_t count) { move_to_room(std::max(room_ + room_ / 2 + count, kFewestBytes)); }
  void move_to_room(std::size_t room) {
    auto more = std::make_unique_for_overwrite<std::uint8_t[]>(room);
    if (size_ != 0) std::memcpy(more.get(), bytes_.get(), size_);
    bytes_ = std::move(more);
    room_ = room;
  }

  std::unique_ptr<std::uint8_t[]> bytes_;  // room_ of them, of which the first size_ count
  std::size_t room_ = 0;
  std::size_t size_ = 0;
};

// The numbers of a column, in order.
class ColumnReader {
 public:
  explicit ColumnReader(const Column& column) : bytes_(column.bytes()) {}

  bool at_end() const { return place_ == bytes_.size(); }
  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = bytes_[place_++];
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::int64_t next_signed() {
    const std::uint64_t value = next();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t place_ = 0;
};

}  // namespace kutrace::emit
