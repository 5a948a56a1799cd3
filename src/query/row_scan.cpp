// SPDX-License-Identifier: BSD-3-Clause
// Choosing rows.
#include "query/row_scan.h"

#include <algorithm>
#include <numeric>

namespace kutrace::query {

namespace {

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

bool Condition::fits(std::int64_t value) const {
  if (value < least || value > greatest) return false;
  return !one_of || std::ranges::binary_search(of, value);
}

RowScan::RowScan(const Table& table, const std::vector<Condition>& conditions)
    : table_(table), conditions_(conditions) {
  for (const Condition& condition : conditions_) {
    Test& test = tests_.emplace_back();
    test.condition = &condition;
    test.column = &table.columns()[condition.column];
    if (test.column->list == nullptr) continue;
    std::uint32_t before = 0;
    for (const std::int64_t value : *test.column->list) {
      const bool good = value != test.column->null && condition.fits(value);
      test.fits_before.push_back(before);
      test.fits.push_back(good ? 1 : 0);
      before += good ? 1 : 0;
    }
    test.fits_before.push_back(before);
  }
}

bool RowScan::may_fit(const Test& test) const {
  const PackedColumn::Block& block = test.column->base->block(block_);
  if (test.column->list != nullptr) {
    return test.fits_before[static_cast<std::size_t>(block.greatest) + 1] !=
           test.fits_before[static_cast<std::size_t>(block.least)];
  }
  std::int64_t least = block.least;
  std::int64_t greatest = block.greatest;
  if (test.column->plus != nullptr) {
    const PackedColumn::Block& plus = test.column->plus->block(block_);
    least = saturating_sum(least, plus.least);
    greatest = saturating_sum(greatest, plus.greatest);
  }
  const Condition& condition = *test.condition;
  if (greatest < condition.least || least > condition.greatest) return false;
  if (!condition.one_of) return true;
  const auto first = std::ranges::lower_bound(condition.of, least);
  return first != condition.of.end() && *first <= greatest;
}

template <typename Fits>
void RowScan::keep(const Fits& fits) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::uint16_t row = rows_[i];
    rows_[kept] = row;
    kept += static_cast<std::size_t>(fits(row));
  }
  count_ = kept;
}

void RowScan::select(const Test& test) {
  const Column& column = *test.column;
  const Condition& condition = *test.condition;
  values_.resize(PackedColumn::kBlockRows);
  column.base->decode(block_, values_);
  if (column.known != nullptr) {
    const std::size_t first = block_ * PackedColumn::kBlockRows;
    keep([&](std::uint16_t row) { return column.known->at(first + row) != 0; });
  }
  if (column.list != nullptr) {
    keep([&](std::uint16_t row) { return test.fits[static_cast<std::size_t>(values_[row])] != 0; });
    return;
  }
  if (column.plus != nullptr) {
    more_.resize(PackedColumn::kBlockRows);
    column.plus->decode(block_, more_);
    for (std::size_t i = 0; i < table_.block_rows(block_); ++i) values_[i] += more_[i];
  }
  if (condition.one_of) {
    keep([&](std::uint16_t row) {
      return values_[row] != column.null && condition.fits(values_[row]);
    });
    return;
  }
  const std::int64_t least = condition.least;
  const std::int64_t greatest = condition.greatest;
  const std::int64_t null = column.null;
  keep([&](std::uint16_t row) {
    const std::int64_t value = values_[row];
    const auto inside = static_cast<unsigned>(value >= least && value <= greatest);
    return (inside & static_cast<unsigned>(value != null)) != 0;
  });
}

bool RowScan::all_may_fit() const {
  return std::ranges::all_of(tests_, [&](const Test& test) { return may_fit(test); });
}

bool RowScan::next_block() {
  while (next_ < table_.blocks()) {
    block_ = next_++;
    if (!all_may_fit()) continue;
    if (!table_.is_filled(block_) && table_.held() != 0) {
      if (!table_.fill(block_)) return false;
      if (!all_may_fit()) continue;
    }
    count_ = table_.block_rows(block_);
    std::iota(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count_), std::uint16_t{0});
    for (const Test& test : tests_) {
      if (count_ != 0) select(test);
    }
    if (count_ != 0) return true;
  }
  return false;
}

}  // namespace kutrace::query
