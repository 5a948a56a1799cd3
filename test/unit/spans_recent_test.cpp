// SPDX-License-Identifier: BSD-3-Clause
// What is kept of numbers that come again: the newest, each once, however many there are.
#include <catch2/catch.hpp>

#include "spans/recent.h"

namespace kutrace::test {
namespace {

using Recent = spans::Recent<int>;

TEST_CASE("the last value of a number is taken once") {
  Recent recent;
  recent.put(7, 1);
  recent.put(7, 2);
  CHECK(recent.take(7) == 2);
  CHECK_FALSE(recent.take(7));
}

TEST_CASE("a value outlives as many others as are told, and not three times as many") {
  Recent recent;
  recent.put(0, 1);
  std::uint32_t number = 1;
  for (; number <= Recent::kMost; ++number) recent.put(number, 2);
  recent.put(1, 3);
  CHECK(recent.take(0) == 1);
  CHECK(recent.take(1) == 3);
  CHECK_FALSE(recent.take(1));
  CHECK(recent.take(2) == 2);
  for (; number <= 3 * Recent::kMost; ++number) recent.put(number, 2);
  CHECK_FALSE(recent.take(3));
}

}  // namespace
}  // namespace kutrace::test
