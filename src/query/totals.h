// SPDX-License-Identifier: BSD-3-Clause
// Sums over the rows of a table, grouped while they are read. In: which columns group, and
// conditions on rows; out: a row for every combination of values that occurs, with its count and
// sums. Grouping by names or threads counts by their numbers and asks what these stand for once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "query/row_scan.h"
#include "query/table.h"

namespace kutrace::query {

struct Measure {
  // kValues: the number of a set of all values (value_sets.h), for aggregates alone.
  enum class Kind : std::uint8_t { kCount, kSum, kLeast, kGreatest, kKnown, kValues };
  std::string_view name;
  std::string_view meaning;
  Kind kind = Kind::kCount;
  std::size_t column = 0;  // of the table
};

class KnownSums;
class ValueSets;

// A table of sums: what can group, and what is summed.
struct Totals {
  std::string_view name;
  std::string_view meaning;
  const Table* table = nullptr;
  std::vector<std::size_t> groups;   // columns of the table
  std::vector<Measure> measures;     // the last one is of kValues
  const KnownSums* known = nullptr;  // of the table, where there may be some
};

struct TotalsRow {
  std::vector<std::int64_t> groups;    // values, as Column::value has them
  std::vector<std::int64_t> measures;  // kNull: of no value
};

// `groups` and `measures`: places in those of `totals`. Without rows that fit there is no row.
// Sets of values are put into `sets`.
std::vector<TotalsRow> sum_up(const Totals& totals, const std::vector<std::size_t>& groups,
                              const std::vector<std::size_t>& measures,
                              const std::vector<Condition>& conditions, ValueSets& sets);

}  // namespace kutrace::query
