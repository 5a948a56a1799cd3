// SPDX-License-Identifier: BSD-3-Clause
// overlap(begin1, end1, begin2, end2): how many nanoseconds two intervals share. In: a connection;
// out: SQLite's code.
#pragma once

#include <sqlite3.h>

#include <string_view>

namespace kutrace::query {

constexpr std::string_view kOverlapCall = "overlap(begin1, end1, begin2, end2)";
constexpr std::string_view kOverlapMeaning = "the time that two intervals share";

int add_overlap(sqlite3* connection);

}  // namespace kutrace::query
