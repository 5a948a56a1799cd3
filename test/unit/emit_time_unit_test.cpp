// SPDX-License-Identifier: BSD-3-Clause
// Times as multiples of units that are a power of two, and of others.
#include <catch2/catch.hpp>

#include "emit/page/time_unit.h"

namespace kutrace {
namespace {

TEST_CASE("multiples of a unit are counted, of either sign") {
  for (const Ns unit : {Ns{1}, Ns{16}, Ns{10}, Ns{417}, Ns{1} << 40}) {
    const emit::TimeUnit of(unit);
    for (const Ns count : {Ns{0}, Ns{1}, Ns{-1}, Ns{7}, Ns{-1000}, Ns{4'000'000}}) {
      CHECK(of.count(count * unit) == count);
    }
    CHECK(of.length(3 * unit) == 3);
  }
}

}  // namespace
}  // namespace kutrace
