// SPDX-License-Identifier: BSD-3-Clause
// Aggregates that SQLite lacks: percentile(x, p), stddev(x), hist(x), quantize(x),
// lquantize(x, least, most, step). In: a connection; out: SQLite's code.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace kutrace::query {

struct Aggregate {
  std::string_view call;
  std::string_view meaning;
};
std::span<const Aggregate> aggregates();

int add_aggregates(sqlite3* connection);

// The lower bound of the power of two that a value falls into, as DTrace has them: 0 for 0, 4 for 4
// to 7, -4 for -7 to -4.
std::int64_t power_of(std::int64_t value);

// DTrace's picture of counts by lower bound: every bound from the first to the last, one before
// and one after them.
std::string quantize_text(const std::map<std::int64_t, std::uint64_t>& counts);

struct LinearBounds {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t step = 1;
};
// The same with equal steps; what lies below `least` counts under least - step, the rest under
// most.
std::string lquantize_text(const std::map<std::int64_t, std::uint64_t>& counts,
                           const LinearBounds& bounds);

}  // namespace kutrace::query
