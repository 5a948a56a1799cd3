// SPDX-License-Identifier: BSD-3-Clause
// Two intervals, four numbers.
#include "query/overlap_function.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace kutrace::query {

namespace {

void overlap(sqlite3_context* context, int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return sqlite3_result_null(context);
  }
  const std::int64_t begin =
      std::max(sqlite3_value_int64(values[0]), sqlite3_value_int64(values[2]));
  const std::int64_t end = std::min(sqlite3_value_int64(values[1]), sqlite3_value_int64(values[3]));
  std::int64_t shared = 0;
  if (begin < end && __builtin_sub_overflow(end, begin, &shared)) {
    shared = std::numeric_limits<std::int64_t>::max();
  }
  sqlite3_result_int64(context, shared);
}

}  // namespace

int add_overlap(sqlite3* connection) {
  return sqlite3_create_function_v2(connection, "overlap", 4,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                                    overlap, nullptr, nullptr, nullptr);
}

}  // namespace kutrace::query
