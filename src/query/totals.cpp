// SPDX-License-Identifier: BSD-3-Clause
// One pass over the rows that fit. Each is counted under the numbers that its columns store; those
// that stand for the same values are joined at the end.
#include "query/totals.h"

#include <algorithm>
#include <map>

#include "base/add_time.h"
#include "query/group_keys.h"
#include "query/known_sums.h"
#include "query/value_sets.h"

namespace kutrace::query {

namespace {

using Kind = Measure::Kind;

bool counts(Kind kind) { return kind == Kind::kCount || kind == Kind::kKnown; }

std::int64_t first_value(Kind kind) { return counts(kind) ? 0 : kNull; }

// `more` is a value.
template <Kind kind>
void add_to(std::int64_t& sum, std::int64_t more) {
  if constexpr (kind == Kind::kCount || kind == Kind::kKnown) {
    sum += more;
  } else if constexpr (kind == Kind::kSum) {
    if (sum == kNull) sum = 0;
    add_time(sum, more);
  } else if constexpr (kind == Kind::kLeast) {
    if (sum == kNull || more < sum) sum = more;
  } else {
    if (sum == kNull || more > sum) sum = more;
  }
}

// Calls `work` with the kind as a constant.
template <typename Work>
void with_kind(Kind kind, const Work& work) {
  switch (kind) {
    case Kind::kCount:
      return work.template operator()<Kind::kCount>();
    case Kind::kKnown:
      return work.template operator()<Kind::kKnown>();
    case Kind::kSum:
      return work.template operator()<Kind::kSum>();
    case Kind::kLeast:
      return work.template operator()<Kind::kLeast>();
    case Kind::kGreatest:
      return work.template operator()<Kind::kGreatest>();
    case Kind::kValues:
      break;  // sets are not added up
  }
}

// One measure of all groups.
class MeasureSums {
 public:
  MeasureSums(const Measure& measure, const Table& table, ValueSets& sets)
      : kind_(measure.kind), column_(table.columns()[measure.column]), all_sets_(sets) {}

  void add(const RowScan& scan, const std::vector<std::uint32_t>& groups, std::size_t all_groups) {
    if (kind_ == Kind::kValues) return keep_values(scan, groups, all_groups);
    sums_.resize(all_groups, first_value(kind_));
    if (kind_ == Kind::kCount) {
      for (const std::uint32_t group : groups) ++sums_[group];
      return;
    }
    read_values(scan);
    with_kind(kind_, [&]<Kind kind>() {
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::int64_t value = values_[scan.rows()[i]];
        if (value != kNull) add_to<kind>(sums_[groups[i]], value);
      }
    });
  }
  void join(std::int64_t& sum, std::size_t group) {
    if (kind_ == Kind::kValues) return join_values(sum, sets_[group]);
    if (sums_[group] == kNull) return;
    with_kind(kind_, [&]<Kind kind>() { add_to<kind>(sum, sums_[group]); });
  }
  std::int64_t none() const { return first_value(kind_); }

 private:
  void keep_values(const RowScan& scan, const std::vector<std::uint32_t>& groups,
                   std::size_t all_groups) {
    sets_.resize(all_groups);
    read_values(scan);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::int64_t value = values_[scan.rows()[i]];
      if (value != kNull) sets_[groups[i]].add(value);
    }
  }
  void join_values(std::int64_t& number, ValueSet& set) {
    if (set.empty()) return;
    if (number == kNull) {
      number = all_sets_.put(std::move(set));
    } else {
      all_sets_.at(number).append(set);
      set = {};
    }
  }
  // Of the rows of the block that were chosen: the value, or 1 where there is one.
  void read_values(const RowScan& scan) {
    values_.resize(PackedColumn::kBlockRows);
    const bool plain = column_.is_plain() && column_.null == kNull;
    if (plain && kind_ != Kind::kKnown) return column_.base->decode(scan.block(), values_);
    const std::size_t first = scan.block() * PackedColumn::kBlockRows;
    for (const std::uint16_t row : scan.rows()) {
      const std::int64_t value = column_.value(first + row);
      values_[row] = kind_ == Kind::kKnown && value != kNull ? 1 : value;
    }
  }

  Kind kind_;
  const Column& column_;
  ValueSets& all_sets_;
  std::vector<std::int64_t> values_;  // of a block, by row
  std::vector<std::int64_t> sums_;    // by group
  std::vector<ValueSet> sets_;        // by group, of kValues
};

std::vector<TotalsRow> joined(const GroupKeys& keys, std::vector<MeasureSums>& measures) {
  std::map<std::vector<std::int64_t>, std::vector<std::int64_t>> sums;
  for (std::size_t group = 0; group < keys.examples().size(); ++group) {
    const auto [found, added] = sums.try_emplace(keys.values(keys.examples()[group]));
    if (added) {
      for (const MeasureSums& measure : measures) found->second.push_back(measure.none());
    }
    for (std::size_t m = 0; m < measures.size(); ++m) measures[m].join(found->second[m], group);
  }
  std::vector<TotalsRow> rows;
  rows.reserve(sums.size());
  for (auto& [values, of] : sums) rows.push_back({values, std::move(of)});
  return rows;
}

}  // namespace

std::vector<TotalsRow> sum_up(const Totals& totals, const std::vector<std::size_t>& groups,
                              const std::vector<std::size_t>& measures,
                              const std::vector<Condition>& conditions, ValueSets& sets) {
  const bool wants_values = std::ranges::any_of(
      measures, [&](std::size_t one) { return totals.measures[one].kind == Kind::kValues; });
  if (totals.known != nullptr && !wants_values) {
    const auto known = totals.known->instead_of(totals, groups, conditions);
    if (known) return sum_up(known->totals, groups, measures, known->conditions, sets);
  }
  std::vector<std::size_t> columns;
  columns.reserve(groups.size());
  for (const std::size_t group : groups) columns.push_back(totals.groups[group]);
  GroupKeys keys(*totals.table, columns);
  std::vector<MeasureSums> sums;
  for (const std::size_t measure : measures) {
    sums.emplace_back(totals.measures[measure], *totals.table, sets);
  }
  RowScan scan(*totals.table, conditions);
  while (scan.next_block()) {
    const std::vector<std::uint32_t>& numbers = keys.numbers(scan);
    for (MeasureSums& measure : sums) measure.add(scan, numbers, keys.examples().size());
  }
  return joined(keys, sums);
}

}  // namespace kutrace::query
