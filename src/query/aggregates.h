// SPDX-License-Identifier: BSD-3-Clause
// Aggregates that SQLite lacks: percentile(x, p), stddev(x), hist(x), quantize(x),
// lquantize(x, least, most, step). In: a connection; out: SQLite's code. Those that the order of
// values does not matter to are there as values_NAME, too, of sets of values by their numbers.
#pragma once

#include <sqlite3.h>

#include <span>
#include <string_view>

#include "query/value_sets.h"

namespace kutrace::query {

struct Aggregate {
  std::string_view call;
  std::string_view meaning;
};
std::span<const Aggregate> aggregates();

// What an aggregate of values is called that takes sets of them; empty: there is none.
std::string_view aggregate_of_sets(std::string_view name);

// `sets` must outlive the connection.
int add_aggregates(sqlite3* connection, const ValueSets& sets);

}  // namespace kutrace::query
