// SPDX-License-Identifier: BSD-3-Clause
// Places in the order of their times.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "emit/page/time_order.h"

namespace kutrace {
namespace {

TEST_CASE("times in order, equal ones as they came") {
  std::mt19937_64 random(9);
  for (const std::size_t size : {0u, 1u, 100u, 255u, 256u, 5000u}) {
    for (const Ns range : {Ns{1}, Ns{1000}, Ns{1} << 40, std::numeric_limits<Ns>::max()}) {
      std::vector<Ns> times(size);
      for (Ns& time : times) time = static_cast<Ns>(random()) % range;
      std::vector<std::uint32_t> expected(size);
      std::iota(expected.begin(), expected.end(), 0u);
      std::ranges::stable_sort(expected, {}, [&](std::uint32_t place) { return times[place]; });
      CHECK(emit::time_order(times) == expected);
    }
  }
}

}  // namespace
}  // namespace kutrace
