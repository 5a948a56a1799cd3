// SPDX-License-Identifier: BSD-3-Clause
// Numbering combinations, and rows put in their order.
#include "query/group_keys.h"

#include <algorithm>
#include <limits>

namespace kutrace::query {

namespace {

constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 22;

// Which of two groups comes first, by their values.
class GroupOrder {
 public:
  GroupOrder(const Table& table, const std::vector<GroupTerm>& by, const Texts& texts)
      : table_(table), by_(by), texts_(texts) {}

  bool operator()(const std::vector<std::int64_t>& one,
                  const std::vector<std::int64_t>& other) const {
    for (std::size_t i = 0; i < by_.size(); ++i) {
      if (one[i] == other[i]) continue;
      const bool first = below(table_.columns()[by_[i].column].type, one[i], other[i]);
      return first != by_[i].descending;
    }
    return false;
  }

 private:
  bool below(ColumnType type, std::int64_t one, std::int64_t other) const {
    // The number that stands for no value is the least of all.
    if (type == ColumnType::kInteger || one == kNull || other == kNull) return one < other;
    return texts_.text(static_cast<NameId>(one)) < texts_.text(static_cast<NameId>(other));
  }

  const Table& table_;
  const std::vector<GroupTerm>& by_;
  const Texts& texts_;
};

}  // namespace

GroupKeys::GroupKeys(const Table& table, const std::vector<std::size_t>& columns)
    : table_(table), columns_(columns) {
  places_needed_ = 1;
  for (const std::size_t column : columns) {
    const PackedColumn* const store = table.columns()[column].base;
    if (std::ranges::find(bases_, store, &Base::store) != bases_.end()) continue;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < store->blocks(); ++i) {
      least = std::min(least, store->block(i).least);
      greatest = std::max(greatest, store->block(i).greatest);
    }
    if (least > greatest) least = greatest = 0;
    const auto range = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
    few_ = few_ && range < kMostPlaces && places_needed_ * (range + 1) <= kMostPlaces;
    if (few_) places_needed_ *= range + 1;
    bases_.push_back({store, least, range + 1});
  }
}

std::uint32_t GroupKeys::added(std::size_t row) {
  examples_.push_back(row);
  return static_cast<std::uint32_t>(examples_.size());
}

void GroupKeys::by_place(const RowScan& scan) {
  std::ranges::fill(numbers_, 0);
  for (std::size_t b = 0; b < bases_.size(); ++b) {
    const auto range = static_cast<std::uint32_t>(bases_[b].range);
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      numbers_[i] = numbers_[i] * range +
                    static_cast<std::uint32_t>(stored_[b][scan.rows()[i]] - bases_[b].least);
    }
  }
  const std::size_t first = scan.block() * PackedColumn::kBlockRows;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    std::uint32_t& number = places_[numbers_[i]];
    if (number == 0) number = added(first + scan.rows()[i]);
    numbers_[i] = number - 1;
  }
}

void GroupKeys::by_search(const RowScan& scan) {
  const std::size_t first = scan.block() * PackedColumn::kBlockRows;
  std::vector<std::int64_t> key;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    key.clear();
    for (const std::vector<std::int64_t>& stored : stored_) key.push_back(stored[scan.rows()[i]]);
    const auto [found, is_new] = met_.try_emplace(key, 0);
    if (is_new) found->second = added(first + scan.rows()[i]);
    numbers_[i] = found->second - 1;
  }
}

const std::vector<std::uint32_t>& GroupKeys::numbers(const RowScan& scan) {
  if (stored_.size() != bases_.size()) {
    stored_.assign(bases_.size(), std::vector<std::int64_t>(PackedColumn::kBlockRows));
  }
  if (few_ && places_.empty()) places_.assign(places_needed_, 0);
  for (std::size_t b = 0; b < bases_.size(); ++b) bases_[b].store->decode(scan.block(), stored_[b]);
  numbers_.resize(scan.rows().size());
  if (few_) {
    by_place(scan);
  } else {
    by_search(scan);
  }
  return numbers_;
}

std::vector<std::int64_t> GroupKeys::values(std::size_t row) const {
  std::vector<std::int64_t> values;
  values.reserve(columns_.size());
  for (const std::size_t column : columns_) values.push_back(table_.columns()[column].value(row));
  return values;
}

std::vector<std::uint32_t> grouped_rows(const Table& table,
                                        const std::vector<Condition>& conditions,
                                        const std::vector<GroupTerm>& by, const Texts& texts) {
  std::vector<std::size_t> columns;
  for (const GroupTerm& one : by) columns.push_back(one.column);
  GroupKeys keys(table, columns);
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> numbers;
  RowScan scan(table, conditions);
  while (scan.next_block()) {
    const auto first = static_cast<std::uint32_t>(scan.block() * PackedColumn::kBlockRows);
    for (const std::uint16_t row : scan.rows()) rows.push_back(first + row);
    const std::vector<std::uint32_t>& of_block = keys.numbers(scan);
    numbers.insert(numbers.end(), of_block.begin(), of_block.end());
  }
  // Groups of the same values get the same rank, then rows are counted and put in their places.
  std::map<std::vector<std::int64_t>, std::size_t, GroupOrder> ranks(GroupOrder(table, by, texts));
  std::vector<const std::size_t*> ranked;
  for (const std::size_t row : keys.examples()) {
    ranked.push_back(&ranks.try_emplace(keys.values(row), 0).first->second);
  }
  std::size_t rank = 0;
  for (auto& group : ranks) group.second = rank++;
  std::vector<std::size_t> next(ranks.size() + 1, 0);
  for (const std::uint32_t number : numbers) ++next[*ranked[number] + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<std::uint32_t> ordered(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) ordered[next[*ranked[numbers[i]]]++] = rows[i];
  return ordered;
}

bool can_group(const Table& table, const std::vector<std::size_t>& columns) {
  const std::size_t numbers = table.blocks() * PackedColumn::kBlockRows;
  if (numbers >= std::numeric_limits<std::uint32_t>::max()) return false;
  for (const std::size_t column : columns) {
    const Column& of = table.columns()[column];
    if (of.plus != nullptr || of.known != nullptr) return false;
  }
  return GroupKeys(table, columns).few();
}

}  // namespace kutrace::query
