// SPDX-License-Identifier: BSD-3-Clause
// A small table of sums, and questions turned to it.
#include "query/known_sums.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace kutrace::query {

namespace {

// As the table of spans calls what is summed up, and as it is called here.
constexpr std::string_view kDuration = "dur_ns";
constexpr std::string_view kRows = "count";
constexpr std::string_view kTotal = "total";
constexpr std::string_view kShortest = "shortest";
constexpr std::string_view kLongest = "longest";

// What becomes of a measure of rows that are summed up already.
Measure of_sums(Measure measure, const Table& sums) {
  using enum Measure::Kind;
  switch (measure.kind) {
    case kCount:
      measure.column = sums.number(kRows);
      measure.kind = kSum;
      break;
    case kSum:
      measure.column = sums.number(kTotal);
      break;
    case kLeast:
      measure.column = sums.number(kShortest);
      break;
    case kGreatest:
      measure.column = sums.number(kLongest);
      break;
    case kKnown:
      check(false, "durations are always known");
  }
  return measure;
}

bool is_believable(const SpanSlabs::KindSums& sums) {
  return sums.spans == 0 || (sums.shortest <= sums.longest && sums.longest <= sums.total);
}

}  // namespace

KnownSums::KnownSums(const WhatLists& what) : table_("sums", "rows that are summed up") {
  const PackedColumn& whats = table_.store();
  const auto add_text = [&](std::string_view name, const List& list) {
    table_.add({.name = name,
                .type = ColumnType::kText,
                .meaning = "as the rows have it",
                .base = &whats,
                .list = &list,
                .null = kNoName});
  };
  add_text("kind", what.kinds);
  add_text("name", what.names);
  for (const std::string_view name : {kRows, kTotal, kShortest, kLongest}) {
    table_.add({.name = name, .meaning = "of all rows", .base = &table_.store()});
  }
}

void KnownSums::tell(const std::vector<std::int64_t>& whats, const SpanSlabs& slabs) {
  const SpanSlabs::Tables& tables = slabs.tables();
  told_ = false;
  std::uint64_t all = 0;
  for (const SpanSlabs::Extent& extent : slabs.extents()) all += extent.spans;
  table_.open(Table::kAllColumns);
  for (std::size_t kind = 0; kind < tables.sums.size(); ++kind) {
    const SpanSlabs::KindSums& sums = tables.sums[kind];
    if (!is_execution(tables.kinds[kind].kind) || sums.spans == 0) continue;
    if (!is_believable(sums) || sums.spans > all) return;
    all -= sums.spans;
    table_.add_row({whats[kind], static_cast<std::int64_t>(sums.spans), sums.total, sums.shortest,
                    sums.longest});
  }
  table_.finish();
  told_ = all == 0;
}

std::optional<std::size_t> KnownSums::number(const Table& table, std::size_t column) const {
  const std::string_view name = table.columns()[column].name;
  const auto found = std::ranges::find(table_.columns(), name, &Column::name);
  if (found == table_.columns().end()) return std::nullopt;
  return static_cast<std::size_t>(found - table_.columns().begin());
}

std::optional<KnownSums::Question> KnownSums::instead_of(
    const Totals& totals, const std::vector<std::size_t>& groups,
    const std::vector<Condition>& conditions) const {
  if (!told_) return std::nullopt;
  Question question{totals, conditions};
  question.totals.table = &table_;
  question.totals.known = nullptr;
  for (const std::size_t group : groups) {
    const auto column = number(*totals.table, totals.groups[group]);
    if (!column) return std::nullopt;
    question.totals.groups[group] = *column;
  }
  for (Condition& condition : question.conditions) {
    const auto column = number(*totals.table, condition.column);
    if (!column) return std::nullopt;
    condition.column = *column;
  }
  for (Measure& measure : question.totals.measures) {
    if (totals.table->columns()[measure.column].name != kDuration) return std::nullopt;
    measure = of_sums(measure, table_);
  }
  return question;
}

}  // namespace kutrace::query
