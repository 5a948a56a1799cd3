// SPDX-License-Identifier: BSD-3-Clause
// The rows of a table that fit conditions, block by block. In: a table, and conditions on its
// columns all of which must hold; out: numbers of rows, in their order. Blocks whose least and
// greatest numbers rule a condition out are not read; conditions on names and threads are decided
// once for each name and thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "query/table.h"

namespace kutrace::query {

// The value is there, lies in [least, greatest], and is one of `of` where that is asked.
struct Condition {
  std::size_t column = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  bool one_of = false;
  std::vector<std::int64_t> of;  // ascending

  bool fits(std::int64_t value) const;
};

class RowScan {
 public:
  RowScan(const Table& table, const std::vector<Condition>& conditions);

  // The next block that has rows which fit; false after the last one, and where a block cannot be
  // had: the reader of the table knows why.
  bool next_block();
  std::size_t block() const { return block_; }
  // Of that block, counted from its first row.
  std::span<const std::uint16_t> rows() const { return {rows_.data(), count_}; }

 private:
  // A condition, and what was found out about it beforehand.
  struct Test {
    const Column* column = nullptr;
    const Condition* condition = nullptr;
    std::vector<std::uint8_t> fits;          // by place in the column's list
    std::vector<std::uint32_t> fits_before;  // how many places below it fit
  };

  bool may_fit(const Test& test) const;
  bool all_may_fit() const;
  void select(const Test& test);
  template <typename Fits>
  void keep(const Fits& fits);

  const Table& table_;
  std::vector<Condition> conditions_;
  std::vector<Test> tests_;
  std::size_t next_ = 0;
  std::size_t block_ = 0;
  std::size_t count_ = 0;
  std::array<std::uint16_t, PackedColumn::kBlockRows> rows_{};
  std::vector<std::int64_t> values_;  // of a block, where they are asked for
  std::vector<std::int64_t> more_;
};

}  // namespace kutrace::query
