// SPDX-License-Identifier: BSD-3-Clause
// A column of a slab whose numbers are ordered by the kinds of spans. In: its bytes, of any origin,
// and how many spans there are of each kind; out: numbers in the order of the spans, from any span
// on. Each number is read where it stands when it is asked for: what is passed over is counted
// eight bytes at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "format/page_format.h"
#include "read/page/column_reader.h"

namespace kutrace::read {

// Asked in the order of positions. An empty column holds zeros.
class ByKind {
 public:
  // `counts`: spans of each kind; `before`: how many of them are passed over; `has`: whether the
  // column holds a number for those of it.
  template <typename Has>
  ByKind(ColumnReader column, const std::vector<std::uint32_t>& counts,
         const std::vector<std::uint32_t>& before, std::uint64_t most, Has has)
      : end_(column.rest().data() + column.bytes_left()), most_(most) {
    if (column.done()) return;
    next_.resize(counts.size());
    const std::uint8_t* at = column.rest().data();
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      if (counts[kind] == 0 || !has(kind)) continue;
      at = behind(at, before[kind]);
      next_[kind] = at;
      at = behind(at, counts[kind] - before[kind]);
    }
  }
  // Whether the column had all numbers, and those that were asked for can be.
  bool good() const { return good_; }
  // Only for kinds that have one, and while good.
  std::uint64_t next(KindIndex kind) {
    if (next_.empty()) return 0;
    const std::uint64_t value = number(next_[kind]);
    if (value <= most_) return value;
    good_ = false;
    return 0;
  }

 private:
  static constexpr std::uint64_t kMoreFollow = 0x8080808080808080;  // of eight bytes

  // Behind the next `count` numbers; null where there are fewer.
  const std::uint8_t* behind(const std::uint8_t* at, std::uint32_t count) {
    constexpr std::uint32_t kBytes = 8;
    if (!good_) return nullptr;
    while (count > kBytes && end_ - at >= kBytes) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, at, sizeof bytes);
      count -= static_cast<std::uint32_t>(((~bytes & kMoreFollow) >> 7) * 0x0101010101010101 >> 56);
      at += kBytes;
    }
    while (count > 0 && at != end_) count -= static_cast<std::uint32_t>(*at++ < 0x80);
    good_ = count == 0;
    return good_ ? at : nullptr;
  }

  // Most take one byte to four, which nothing foretells: no branch then.
  std::uint64_t number(const std::uint8_t*& at) {
    static_assert(std::endian::native == std::endian::little);
    std::uint32_t bytes = 0;
    if (end_ - at >= static_cast<std::ptrdiff_t>(sizeof bytes)) {
      std::memcpy(&bytes, at, sizeof bytes);
      const std::uint32_t ends = ~bytes & static_cast<std::uint32_t>(kMoreFollow);
      if (ends != 0) {
        bytes &= ends ^ (ends - 1);
        at += (std::countr_zero(ends) >> 3) + 1;
        return (bytes & 0x7f) | (bytes >> 1 & 0x3f80) | (bytes >> 2 & 0x1fc000) |
               (bytes >> 3 & 0xfe00000);
      }
    }
    ColumnReader rest({at, end_});
    const std::uint64_t value = rest.next();
    at = end_ - rest.bytes_left();
    good_ = good_ && !rest.failed();
    return value;
  }

  std::vector<const std::uint8_t*> next_;  // of each kind
  const std::uint8_t* end_;
  std::uint64_t most_;
  bool good_ = true;
};

}  // namespace kutrace::read
