// SPDX-License-Identifier: BSD-3-Clause
// Counters to times, those included that only a file can tell that lies.
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "format/trace_clock.h"

namespace kutrace::test {
namespace {

TEST_CASE("time never goes back, whatever the counter, and the distance of two times fits") {
  constexpr Ticks kLast = std::numeric_limits<Ticks>::max();
  for (const double rate : {1e-3, 0.1, 1.0, 16.0, 2000.0, 1e6}) {
    for (const Ticks start : {Ticks{0}, Ticks{1}, Ticks{1} << 55, kLast}) {
      const TraceClock clock(start, rate);
      std::vector<Ticks> counters = {0};
      for (int bit = 0; bit < 64; ++bit) counters.push_back(Ticks{1} << bit);
      counters.push_back(kLast);
      Ns before = -TraceClock::kFarthest;
      for (const Ticks counter : counters) {
        CAPTURE(rate, start, counter);
        const Ns now = clock.to_ns(counter);
        CHECK(now >= before);
        CHECK(now <= TraceClock::kFarthest);
        CHECK((now < 0) <= (counter < start));
        CHECK((now > 0) <= (counter > start));
        before = now;
      }
    }
  }
}

TEST_CASE("times before the start are rounded down, as those behind it") {
  const TraceClock clock(10, 0.5);
  CHECK(clock.to_ns(10) == 0);
  CHECK(clock.to_ns(13) == 1);
  CHECK(clock.to_ns(9) == -1);
  CHECK(clock.to_ns(7) == -2);
}

}  // namespace
}  // namespace kutrace::test
