// SPDX-License-Identifier: BSD-3-Clause
// Reads the numbers of a page's columns: little-endian base-128. In: bytes of any origin; out:
// numbers, and whether there were as many as were asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kutrace::read {

class ColumnReader {
 public:
  explicit ColumnReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool done() const { return at_ == bytes_.size(); }
  // A number was asked for where none, or one of more than 64 bits, stands. It counts as 0.
  bool failed() const { return failed_; }
  std::size_t bytes_left() const { return bytes_.size() - at_; }
  std::span<const std::uint8_t> rest() const { return bytes_.subspan(at_); }

  std::uint64_t next() {
    if (at_ < bytes_.size() && bytes_[at_] < 0x80) return bytes_[at_++];
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const std::uint8_t byte = bytes_[at_++];
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  // The same where most numbers take one byte or two, which nothing foretells: no branch then.
  std::uint64_t next_short() {
    if (bytes_left() < 2) return next();
    const std::uint32_t first = bytes_[at_];
    const std::uint32_t second = bytes_[at_ + 1];
    const std::uint32_t more = first >> 7;
    if ((more & second >> 7) != 0) return next();
    at_ += 1 + more;
    return (first & 0x7f) | (second << 7 & (0 - more));
  }
  // Zigzag.
  std::int64_t next_signed() {
    const std::uint64_t value = next();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  // A nested column.
  ColumnReader column() {
    const std::uint64_t size = next();
    if (size > bytes_left()) failed_ = true;
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes_left()));
    at_ += taken;
    return ColumnReader(bytes_.subspan(at_ - taken, taken));
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace kutrace::read
