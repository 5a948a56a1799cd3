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
      break;
    case kValues:
      break;  // is not asked for
  }
  return measure;
}

// The column that the table of sums has, too.
std::optional<std::size_t> number(const Table& rows, std::size_t column, const Table& sums) {
  const std::string_view name = rows.columns()[column].name;
  const auto found = std::ranges::find(sums.columns(), name, &Column::name);
  if (found == sums.columns().end()) return std::nullopt;
  return static_cast<std::size_t>(found - sums.columns().begin());
}

std::optional<KnownSums::Question> turned(const Totals& totals,
                                          const std::vector<std::size_t>& groups,
                                          const std::vector<Condition>& conditions,
                                          const Table& sums) {
  KnownSums::Question question{totals, conditions};
  question.totals.table = &sums;
  question.totals.known = nullptr;
  for (const std::size_t group : groups) {
    const auto column = number(*totals.table, totals.groups[group], sums);
    if (!column) return std::nullopt;
    question.totals.groups[group] = *column;
  }
  for (Condition& condition : question.conditions) {
    const auto column = number(*totals.table, condition.column, sums);
    if (!column) return std::nullopt;
    condition.column = *column;
  }
  for (Measure& measure : question.totals.measures) {
    if (totals.table->columns()[measure.column].name != kDuration) return std::nullopt;
    measure = of_sums(measure, sums);
  }
  return question;
}

bool is_believable(const SpanSlabs::KindSums& sums) {
  return sums.spans == 0 || (sums.shortest <= sums.longest && sums.longest <= sums.total);
}

}  // namespace

KnownSums::Sums::Sums(const WhatLists& what, bool of_cpus)
    : table("sums", "rows that are summed up") {
  const PackedColumn& whats = table.store();
  const auto add_text = [&](std::string_view name, const List& list) {
    table.add({.name = name,
               .type = ColumnType::kText,
               .meaning = "as the rows have it",
               .base = &whats,
               .list = &list,
               .null = kNoName});
  };
  add_text("kind", what.kinds);
  add_text("name", what.names);
  const PackedColumn& cpus = table.store();
  if (of_cpus) table.add({.name = "cpu", .meaning = "as the rows have it", .base = &cpus});
  for (const std::string_view name : {kRows, kTotal, kShortest, kLongest}) {
    table.add({.name = name, .meaning = "of all rows", .base = &table.store()});
  }
}

void KnownSums::Sums::add(std::int64_t what, std::int64_t cpu, const SpanSlabs::KindSums& sums) {
  table.add_row(
      {what, cpu, static_cast<std::int64_t>(sums.spans), sums.total, sums.shortest, sums.longest});
}

KnownSums::KnownSums(const WhatLists& what) : by_kind_(what, false), by_cpu_(what, true) {}

void KnownSums::tell(const std::vector<std::int64_t>& whats, const SpanSlabs& slabs) {
  const SpanSlabs::Tables& tables = slabs.tables();
  by_kind_.told = false;
  std::uint64_t all = 0;
  for (const SpanSlabs::Extent& extent : slabs.extents()) all += extent.spans;
  by_kind_.table.open(Table::kAllColumns);
  for (std::size_t kind = 0; kind < tables.sums.size(); ++kind) {
    const SpanSlabs::KindSums& sums = tables.sums[kind];
    if (!is_execution(tables.kinds[kind].kind) || sums.spans == 0) continue;
    if (!is_believable(sums) || sums.spans > all) return;
    all -= sums.spans;
    by_kind_.add(whats[kind], 0, sums);
  }
  by_kind_.table.finish();
  by_kind_.told = all == 0;
}

void KnownSums::tell(const std::vector<std::int64_t>& whats,
                     const std::vector<SpanSlabs::CpuSums>& sums) {
  by_cpu_.table.open(Table::kAllColumns);
  for (const SpanSlabs::CpuSums& of : sums) by_cpu_.add(whats[of.kind], of.cpu, of.sums);
  by_cpu_.table.finish();
  by_cpu_.told = by_kind_.told && !sums.empty();
}

std::optional<KnownSums::Question> KnownSums::instead_of(
    const Totals& totals, const std::vector<std::size_t>& groups,
    const std::vector<Condition>& conditions) const {
  for (const Sums* const sums : {&by_kind_, &by_cpu_}) {
    if (!sums->told) continue;
    if (auto question = turned(totals, groups, conditions, sums->table)) return question;
  }
  return std::nullopt;
}

}  // namespace kutrace::query
