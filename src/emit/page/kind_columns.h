// SPDX-License-Identifier: BSD-3-Clause
// Columns of a slab in the order of kinds: equal kinds have alike durations, arguments and results,
// and compress better side by side. In: spans in any order; out: joined columns.
#pragma once

#include <cstdint>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/page_tables.h"

namespace kutrace::emit {

struct KindColumns {
  Column durations;
  Column arguments;
  Column results;
  Column ipc;
  Column rpc;
  Column pieces;
};

class ColumnsByKind {
 public:
  // Empty again, with its room.
  void clear();
  KindColumns& of(KindIndex kind) {
    if (kind < places_.size() && places_[kind] != 0) [[likely]] {
      return columns_[places_[kind] - 1];
    }
    return add(kind);
  }
  // One column of all kinds, by their numbers.
  void append_joined(Column KindColumns::* column, Column& out) const;
  // The same as a column of its own.
  void put_joined(Column KindColumns::* column, Column& out) const;

 private:
  KindColumns& add(KindIndex kind);

  std::vector<std::uint32_t> places_;  // by kind: 1 + its place in columns_; 0: none yet
  std::vector<KindColumns> columns_;   // the first used_ of them count
  std::size_t used_ = 0;
};

}  // namespace kutrace::emit
