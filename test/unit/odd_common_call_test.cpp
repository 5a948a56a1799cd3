// SPDX-License-Identifier: BSD-3-Clause
// The commonest of many calls.
#include <catch2/catch.hpp>

#include "odd/common_call.h"

namespace kutrace::test {
namespace {

using odd::CommonCall;

TEST_CASE("the commonest call is named, not the last one") {
  CommonCall calls;
  CHECK(calls.commonest().count == 0);
  for (int i = 0; i < 5; ++i) calls.add({1, i, 1});
  calls.add({2, 7, 1});
  CHECK(calls.commonest().name == 1);
  CHECK(calls.commonest().result == 4);
  CHECK(calls.commonest().count == 5);
}

TEST_CASE("of more names than have room, one with a fifth of all calls stays") {
  CommonCall calls;
  for (NameId i = 0; i < 3000; ++i) {
    calls.add({10 + i % 7, 0, 1});
    if (i % 3 == 0) calls.add({1, 5, 1});
  }
  CHECK(calls.commonest().name == 1);
  CHECK(calls.commonest().count <= 1000);
}

TEST_CASE("sums of calls are added like calls") {
  CommonCall calls, more;
  for (NameId i = 0; i < 6; ++i) calls.add({i, 0, 1});
  more.add({3, 9, 100});
  more.add({4, 0, 90});
  calls.add(more);
  CHECK(calls.commonest().name == 3);
  CHECK(calls.commonest().result == 9);
}

}  // namespace
}  // namespace kutrace::test
