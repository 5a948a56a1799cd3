// SPDX-License-Identifier: BSD-3-Clause
// Lengths of time as people write them.
#include <catch2/catch.hpp>

#include "base/time_length.h"

namespace kutrace {
namespace {

TEST_CASE("a length of time has a unit from nanoseconds to hours") {
  CHECK(*parse_time("250ns") == 250);
  CHECK(*parse_time("300us") == 300'000);
  CHECK(*parse_time("1.5ms") == 1'500'000);
  CHECK(*parse_time("2s") == 2'000'000'000);
  CHECK(*parse_time("5m") == 300'000'000'000);
  CHECK(*parse_time("5min") == 300'000'000'000);
  CHECK(*parse_time("1.5h") == 5'400'000'000'000);
  CHECK(*parse_time("3") == 3'000'000'000);
  CHECK(*parse_time("3", 1000) == 3000);
}

TEST_CASE("other texts are no lengths of time") {
  for (const char* text : {"", "m", "-1s", "1d", "1 s", "1hh", "1M", "9e30h"})
    CHECK_FALSE(parse_time(text).has_value());
}

}  // namespace
}  // namespace kutrace
