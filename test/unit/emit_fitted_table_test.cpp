// SPDX-License-Identifier: BSD-3-Clause
// Tables on terminals: which columns stay, and that nothing is cut.
#include <catch2/catch.hpp>

#include "emit/text/fitted_table.h"
#include "support/lines.h"

namespace kutrace::test {
namespace {

Lines table(std::size_t most) {
  const emit::FittedTable fitted({{"a_ms", 6, 0}, {"b_ms", 6, 2}, {"c_ms", 6, 1}}, 5, most);
  Lines lines;
  const emit::LineSink line = [&lines](std::string_view text) { lines.emplace_back(text); };
  fitted.head("name", "waits", line);
  fitted.row({"1.25", "22222222.5", "3.5"}, "redis", "disk 1 ms", line);
  fitted.row({"1", "2", "3"}, "x", "", line);
  fitted.foot(line);
  return lines;
}

TEST_CASE("without a width a table has all its columns, and numbers wider than theirs") {
  CHECK(table(0) == Lines{"  a_ms   b_ms   c_ms  name  waits",
                          "  1.25 22222222.5    3.5  redis disk 1 ms", "     1      2      3  x"});
}

TEST_CASE("what has no room goes, least important first, and is named; the rest has lines") {
  CHECK(table(23) == Lines{"  a_ms   c_ms  name", "    waits", "  1.25    3.5  redis",
                           "    disk 1 ms", "     1      3  x", "(no room for b_ms;",
                           "--wide shows all)"});
  CHECK(table(33) == Lines{"  a_ms   b_ms   c_ms  name  waits", "  1.25 22222222.5    3.5  redis",
                           "    disk 1 ms", "     1      2      3  x"});
}

TEST_CASE("what never goes stays in the narrowest terminal") {
  CHECK(table(14) == Lines{"  a_ms  name", "    waits", "  1.25  redis", "    disk 1 ms",
                           "     1  x", "(no room for", "b_ms c_ms;", "--wide shows", "all)"});
}

}  // namespace
}  // namespace kutrace::test
