// SPDX-License-Identifier: BSD-3-Clause
// A column of a slab whose numbers are ordered by the kinds of spans. In: its bytes, of any origin,
// and how many spans there are of each kind; out: numbers in the order of the spans.
#pragma once

#include <cstdint>
#include <vector>

#include "format/page_format.h"
#include "read/page/page_numbers.h"

namespace kutrace::read {

// Asked in the order of positions. An empty column holds zeros.
class ByKind {
 public:
  // `counts`: spans of each kind; `has`: whether the column holds a number for those of it;
  // `values`: room for the numbers, which must stay.
  template <typename Has>
  ByKind(ColumnReader column, const std::vector<std::uint32_t>& counts, std::uint64_t most, Has has,
         std::vector<std::uint64_t>& values)
      : values_(values) {
    if (column.done()) {
      values_.clear();
      return;
    }
    next_.resize(counts.size());
    std::size_t size = 0;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      next_[kind] = static_cast<std::uint32_t>(size);
      if (has(kind)) size += counts[kind];
    }
    good_ = size <= column.bytes_left();
    if (!good_) return;
    values_.resize(size);
    for (std::uint64_t& value : values_) value = take(column, most, good_);
  }
  bool good() const { return good_; }
  // Only for kinds that have one.
  std::uint64_t next(KindIndex kind) { return values_.empty() ? 0 : values_[next_[kind]++]; }

 private:
  std::vector<std::uint32_t> next_;
  std::vector<std::uint64_t>& values_;
  bool good_ = true;
};

}  // namespace kutrace::read
