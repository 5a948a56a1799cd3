// SPDX-License-Identifier: BSD-3-Clause
// Aggregates that SQLite lacks: percentile(x, p), stddev(x), hist(x), quantize(x),
// lquantize(x, least, most, step). In: a connection; out: SQLite's code.
#pragma once

#include <sqlite3.h>

#include <span>
#include <string_view>

namespace kutrace::query {

struct Aggregate {
  std::string_view call;
  std::string_view meaning;
};
std::span<const Aggregate> aggregates();

int add_aggregates(sqlite3* connection);

}  // namespace kutrace::query
