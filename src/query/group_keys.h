// SPDX-License-Identifier: BSD-3-Clause
// Which rows belong together. In: columns that group, and rows block by block; out: a number for
// every combination of what the columns store, in the order in which they are met, and a row of
// each. The caller joins combinations that stand for the same values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "query/row_scan.h"
#include "query/table.h"

namespace kutrace::query {

class GroupKeys {
 public:
  // `columns`: of the table; none of them adds two stores, or lacks values by a third.
  GroupKeys(const Table& table, const std::vector<std::size_t>& columns);

  // Whether combinations are few enough to keep a place for each that could be.
  bool few() const { return few_; }
  // The numbers of the block's rows that the scan chose.
  const std::vector<std::uint32_t>& numbers(const RowScan& scan);
  // The first row of each combination.
  const std::vector<std::size_t>& examples() const { return examples_; }
  // What the columns say in a row.
  std::vector<std::int64_t> values(std::size_t row) const;

 private:
  struct Base {
    const PackedColumn* store = nullptr;
    std::int64_t least = 0;
    std::uint64_t range = 1;
  };

  std::uint32_t added(std::size_t row);
  void by_place(const RowScan& scan);
  void by_search(const RowScan& scan);

  const Table& table_;
  std::vector<std::size_t> columns_;
  std::vector<Base> bases_;
  bool few_ = true;
  std::uint64_t places_needed_ = 1;
  std::vector<std::uint32_t>
      places_;  // made when the first rows come; 0: not met yet, else the number + 1
  std::map<std::vector<std::int64_t>, std::uint32_t> met_;
  std::vector<std::vector<std::int64_t>> stored_;  // of a block
  std::vector<std::uint32_t> numbers_;
  std::vector<std::size_t> examples_;
};

// A column that groups, and how its values follow one another.
struct GroupTerm {
  std::size_t column = 0;
  bool descending = false;
};

// The rows that fit, those of the same values behind one another; groups by their values, in SQL's
// order: no value before all others, texts by their bytes.
std::vector<std::uint32_t> grouped_rows(const Table& table,
                                        const std::vector<Condition>& conditions,
                                        const std::vector<GroupTerm>& by, const Texts& texts);

// Whether grouped_rows() can do it in reasonable memory: names, threads, CPUs and the like.
bool can_group(const Table& table, const std::vector<std::size_t>& columns);

}  // namespace kutrace::query
