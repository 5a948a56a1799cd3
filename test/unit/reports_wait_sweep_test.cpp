// SPDX-License-Identifier: BSD-3-Clause
// Sums of waits by what their CPU did: the same as of looking at each wait and each stretch.
#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <vector>

#include "reports/wait_sweep.h"

namespace kutrace::test {
namespace {

using reports::WaitSweep;

std::vector<WaitSweep::Sum> looked_at_each(const std::vector<WaitSweep::Stretch>& stretches, Ns end,
                                           std::uint32_t kinds,
                                           const std::vector<TimeWindow>& waits) {
  std::vector<WaitSweep::Sum> sums(kinds);
  for (const TimeWindow& wait : waits) {
    std::vector<Ns> times(kinds);
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      const Ns until = i + 1 < stretches.size() ? stretches[i + 1].begin : end;
      const Ns seen = std::min(until, wait.end) - std::max(stretches[i].begin, wait.begin);
      times[stretches[i].what] += std::max<Ns>(0, seen);
    }
    for (std::uint32_t what = 0; what < kinds; ++what) {
      if (times[what] > 0) ++sums[what].waits;
      sums[what].total += times[what];
      sums[what].longest = std::max(sums[what].longest, times[what]);
    }
  }
  return sums;
}

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  Ns operator()(Ns least, Ns most) {
    return least + static_cast<Ns>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }

 private:
  std::mt19937_64 random_;
};

TEST_CASE("a sweep over waits sums up what looking at each would") {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    Draw draw(seed);
    const auto kinds = static_cast<std::uint32_t>(draw(1, 6));
    std::vector<WaitSweep::Stretch> stretches;
    Ns time = draw(-20, 20);
    const Ns begin = time;
    for (Ns i = draw(1, 40); i > 0; --i) {
      stretches.push_back({time, static_cast<std::uint32_t>(draw(0, kinds - 1))});
      time += draw(1, 5);
    }
    std::vector<TimeWindow> waits;
    for (Ns i = draw(0, 30); i > 0; --i) {
      const Ns from = draw(begin, time - 1);
      waits.push_back({from, draw(from + 1, time)});
    }
    WaitSweep sweep(stretches, time, kinds);
    const std::vector<WaitSweep::Sum> sums = sweep.sums(waits);
    const std::vector<WaitSweep::Sum> each = looked_at_each(stretches, time, kinds, waits);
    INFO("seed " << seed);
    REQUIRE(sums.size() == each.size());
    for (std::uint32_t what = 0; what < kinds; ++what) {
      REQUIRE(sums[what].waits == each[what].waits);
      REQUIRE(sums[what].total == each[what].total);
      REQUIRE(sums[what].longest == each[what].longest);
    }
  }
}

TEST_CASE("a sum of waits that does not fit stays at the largest number") {
  constexpr Ns kLong = Ns{1} << 61;
  const std::vector<WaitSweep::Stretch> stretches = {{0, 0}};
  WaitSweep sweep(stretches, kLong, 1);
  const std::vector<WaitSweep::Sum> sums = sweep.sums(std::vector<TimeWindow>(5, {0, kLong}));
  REQUIRE(sums[0].total == std::numeric_limits<Ns>::max());
  REQUIRE(sums[0].longest == kLong);
  REQUIRE(sums[0].waits == 5);
}

}  // namespace
}  // namespace kutrace::test
