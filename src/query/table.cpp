// SPDX-License-Identifier: BSD-3-Clause
// Values of rows.
#include "query/table.h"

#include <algorithm>

#include "base/check.h"

namespace kutrace::query {

std::int64_t Column::value(std::size_t row) const {
  if (known != nullptr && known->at(row) == 0) return kNull;
  std::int64_t value = base->at(row);
  if (plus != nullptr) value += plus->at(row);
  if (list != nullptr) value = (*list)[static_cast<std::size_t>(value)];
  return value == null ? kNull : value;
}

std::size_t Table::number(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column, &Column::name);
  check(found != columns_.end(), "a table lacks a column");
  return static_cast<std::size_t>(found - columns_.begin());
}

std::size_t Table::bytes() const {
  std::size_t sum = 0;
  for (const PackedColumn& column : storage_) sum += column.bytes();
  return sum;
}

void Table::open(Columns columns) {
  held_ = columns;
  open_ = true;
  read_ = false;
  rows_ = 0;
  block_rows_.clear();
  filler_ = nullptr;
  filled_.clear();
  for (PackedColumn& store : storage_) {
    bool kept = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      if ((columns >> i & 1) == 0) continue;
      kept = kept || column.base == &store || column.plus == &store || column.known == &store;
    }
    store.restart(kept);
  }
}

void Table::add_row(const std::vector<std::int64_t>& values) {
  add_row();
  for (std::size_t i = 0; i < storage_.size(); ++i) storage_[i].append(values[i]);
}

void Table::foresee(std::size_t rows, BlockFiller& filler) {
  filler_ = &filler;
  filled_.push_back(0);
  block_rows_.push_back(static_cast<std::uint32_t>(rows));
  rows_ += rows;
}

void Table::finish() {
  open_ = false;
  read_ = true;
  if (filler_ != nullptr) return;
  for (PackedColumn& column : storage_) column.finish();
}

}  // namespace kutrace::query
