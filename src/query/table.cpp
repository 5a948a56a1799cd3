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

void Table::finish() {
  for (PackedColumn& column : storage_) column.finish();
}

}  // namespace kutrace::query
