// SPDX-License-Identifier: BSD-3-Clause
// Packed columns, and the aggregates that SQLite lacks.
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/distribution.h"
#include "query/aggregates.h"
#include "query/packed_column.h"

namespace kutrace::test {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

std::string ask(const std::string& sql) {
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(":memory:", &connection) == SQLITE_OK);
  const query::ValueSets no_sets;
  REQUIRE(query::add_aggregates(connection, no_sets) == SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  std::string answer = "error";
  if (sqlite3_step(statement) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    answer = text == nullptr ? "NULL" : text;
  }
  sqlite3_finalize(statement);
  sqlite3_close(connection);
  return answer;
}

std::string of(const std::string& call, const std::string& values) {
  return ask("WITH v(x) AS (VALUES " + values + ") SELECT " + call + " FROM v");
}

}  // namespace

TEST_CASE("a packed column gives back what was put in, whatever its range") {
  std::mt19937_64 engine(1);
  for (const std::uint64_t range : {1ull, 200ull, 60'000ull, 4'000'000'000ull, ~0ull}) {
    std::vector<std::int64_t> values;
    query::PackedColumn column;
    for (int i = 0; i < 40'000; ++i) {
      values.push_back(static_cast<std::int64_t>(engine() % range) - 17);
      if (i % 9000 == 5 && range == ~0ull) values.back() = i % 2 == 0 ? kLeast : kGreatest;
      column.append(values.back());
    }
    column.finish();
    REQUIRE(column.blocks() == (values.size() + query::PackedColumn::kBlockRows - 1) /
                                   query::PackedColumn::kBlockRows);
    std::vector<std::int64_t> decoded(query::PackedColumn::kBlockRows);
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (row % query::PackedColumn::kBlockRows == 0) {
        column.decode(row / query::PackedColumn::kBlockRows, decoded);
      }
      const bool same = column.at(row) == values[row] &&
                        decoded[row % query::PackedColumn::kBlockRows] == values[row];
      REQUIRE(same);
    }
  }
}

TEST_CASE("a column that says the same everywhere takes next to nothing") {
  query::PackedColumn column;
  for (int i = 0; i < 1'000'000; ++i) column.append(77);
  column.finish();
  CHECK(column.bytes() < 20'000);
}

TEST_CASE("percentiles are values that occur, at the nearest rank") {
  CHECK(of("percentile(x, 50)", "(1), (2), (3), (4)") == "2");
  CHECK(of("percentile(x, 51)", "(1), (2), (3), (4)") == "3");
  CHECK(of("percentile(x, 0)", "(5), (2)") == "2");
  CHECK(of("percentile(x, 100)", "(5), (2), (NULL)") == "5");
  CHECK(of("percentile(x, 99)", "(NULL)") == "NULL");
  CHECK(of("percentile(x, 50)", "(1), (2.5), (3)") == "2.5");
  CHECK(of("percentile(x, 101)", "(1)") == "error");
  CHECK(of("percentile(x, NULL)", "(1)") == "error");
  CHECK(of("percentile(x, 'p')", "(1)") == "error");
  CHECK(of("percentile(x, '50')", "(1), (2)") == "1");
}

TEST_CASE("the deviation is that of all values, small beside their size or not") {
  CHECK(of("stddev(x)", "(2), (4), (4), (4), (5), (5), (7), (9)") == "2.0");
  CHECK(of("stddev(x)", "(7)") == "0.0");
  CHECK(of("stddev(x)", "(NULL)") == "NULL");
  CHECK(of("stddev(x)", "(1000000000000001), (1000000000000003)") == "1.0");
}

TEST_CASE("powers of two are DTrace's") {
  const std::vector<std::pair<std::int64_t, std::int64_t>> known = {
      {0, 0},           {1, 1},
      {2, 2},           {3, 2},
      {4, 4},           {1023, 512},
      {1024, 1024},     {-1, -1},
      {-7, -4},         {kGreatest, std::int64_t{1} << 62},
      {kLeast, kLeast}, {kLeast + 1, -(std::int64_t{1} << 62)}};
  for (const auto& [value, power] : known) {
    CAPTURE(value);
    CHECK(power_of(value) == power);
  }
  CHECK(of("hist(x)", "(0), (1), (5), (6), (NULL), (-3)") == "-2:1 0:1 1:1 4:2");
  CHECK(of("hist(x)", "(NULL)") == "NULL");
}

TEST_CASE("quantize draws every bound from one below the first to one above the last") {
  CHECK(of("quantize(x)", "(4), (5), (16)") ==
        "           value  ------------- Distribution ------------- count\n"
        "               2 |                                         0\n"
        "               4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@              2\n"
        "               8 |                                         0\n"
        "              16 |@@@@@@@@@@@@@                            1\n"
        "              32 |                                         0");
  for (const char* const value :
       {"(9223372036854775807)", "(-9223372036854775808)", "(-1)", "(0)"}) {
    CAPTURE(value);
    CHECK_THAT(of("quantize(x)", value), Catch::Contains("@ 1\n"));
  }
}

TEST_CASE("lquantize draws equal steps, and what lies outside of them") {
  CHECK(of("lquantize(x, 0, 30, 10)", "(-5), (3), (11), (99)") ==
        "           value  ------------- Distribution ------------- count\n"
        "             < 0 |@@@@@@@@@@                               1\n"
        "               0 |@@@@@@@@@@                               1\n"
        "              10 |@@@@@@@@@@                               1\n"
        "              20 |                                         0\n"
        "           >= 30 |@@@@@@@@@@                               1");
  CHECK(of("lquantize(x, 3, 2, 1)", "(1)") == "error");
  CHECK(of("lquantize(x, 0, 10, 0)", "(1)") == "error");
  CHECK(of("lquantize(x, -9223372036854775808, 10, 1)", "(1)") == "error");
}

}  // namespace kutrace::test
