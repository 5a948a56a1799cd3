// SPDX-License-Identifier: BSD-3-Clause
// Adding, and the order of rows.
#include "count/answer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kutrace::count {

namespace {

// What rows are ordered by.
long double weight(const Row& row, AggregateKind kind) {
  const Sums& sums = row.sums.front();
  switch (kind) {
    case AggregateKind::kSum:
      return sums.total;
    case AggregateKind::kMin:
      return static_cast<long double>(sums.least);
    case AggregateKind::kMax:
      return static_cast<long double>(sums.greatest);
    case AggregateKind::kAvg:
      return sums.mean();
    case AggregateKind::kStddev:
      return sums.deviation();
    default:
      return static_cast<long double>(sums.values);
  }
}

}  // namespace

void Sums::add(const Sums& more) {
  if (more.values == 0) return;
  least = values == 0 ? more.least : std::min(least, more.least);
  greatest = values == 0 ? more.greatest : std::max(greatest, more.greatest);
  values += more.values;
  add_sum(more.total, static_cast<std::uint64_t>(more.sum));
  squares += more.squares;
  for (const auto& [bound, count] : more.counts) counts[bound] += count;
}

void Sums::add_sum(long double more, std::uint64_t lowest_bits) {
  total += more;
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + lowest_bits);
}

bool Sums::has_sum() const { return -0x1p63L <= total && total < 0x1p63L; }

double Sums::mean() const {
  return values == 0 ? 0 : static_cast<double>(total / static_cast<long double>(values));
}

double Sums::deviation() const {
  if (values == 0) return 0;
  const auto number = static_cast<long double>(values);
  const long double average = total / number;
  const long double variance = squares / number - average * average;
  return static_cast<double>(std::sqrt(std::max(0.0L, variance)));
}

void Missed::add(const Missed& more) {
  no_room += more.no_room;
  no_begin += more.no_begin;
  too_many += more.too_many;
  children += more.children;
  stacks += more.stacks;
  skipped += more.skipped;
}

Missed Missed::since(const Missed& before) const {
  return {no_room - before.no_room,   no_begin - before.no_begin, too_many - before.too_many,
          children - before.children, stacks - before.stacks,     skipped - before.skipped};
}

void settle(const Question& question, std::vector<Row>& rows) {
  std::ranges::sort(rows, {}, &Row::keys);
  std::vector<Row> merged;
  for (Row& row : rows) {
    if (merged.empty() || merged.back().keys != row.keys) {
      merged.push_back(std::move(row));
      continue;
    }
    for (std::size_t i = 0; i < row.sums.size(); ++i) merged.back().sums[i].add(row.sums[i]);
  }
  rows = std::move(merged);
  const AggregateKind kind = question.aggregates.front().kind;
  std::ranges::stable_sort(
      rows, [kind](const Row& a, const Row& b) { return weight(a, kind) > weight(b, kind); });
}

}  // namespace kutrace::count
