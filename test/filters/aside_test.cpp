// SPDX-License-Identifier: BSD-3-Clause
// What is put aside comes back whole, and what is laid out first is worth nearly the most.
#include "filters/aside.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

namespace kutrace::test {
namespace {

using filters::sort_of;
using filters::SpanPart;

double worth(const SpanPart& part, std::uint64_t spans) {
  return static_cast<double>(part.time) * static_cast<double>(spans + 1 - part.grown);
}

SpanPart part_of(Pid pid, Ns time, std::uint64_t number) {
  SpanPart part;
  part.span.kind = SpanKind::kUser;
  part.span.pid = pid;
  part.time = time;
  part.grown = number;
  return part;
}

}  // namespace

TEST_CASE("of what is aside, the part that is worth nearly the most is taken first") {
  std::mt19937_64 random(GENERATE(1u, 2u, 3u));
  std::map<Pid, SpanPart> expected;
  filters::Aside aside;
  Ns total = 0;
  for (std::uint64_t number = 1; number < 5000; ++number) {
    const auto pid = static_cast<Pid>(random() % 300);
    const SpanPart part =
        part_of(pid, 1 + static_cast<Ns>(random() >> (63 - random() % 40)), number);
    aside.add(part);
    total += part.time;
    if (const auto [same, added] = expected.try_emplace(pid, part); !added) same->second.join(part);
    REQUIRE(aside.time_of(sort_of(part.span)) == expected.at(pid).time);
    if (random() % 3 == 0) {
      double most = 0;
      for (const auto& [each, kept] : expected) most = std::max(most, worth(kept, number));
      const SpanPart best = aside.take_best(number);
      REQUIRE(worth(best, number) >= 0.8 * most);
      REQUIRE(best.time == expected.at(best.span.pid).time);
      total -= best.time;
      expected.erase(best.span.pid);
    }
    const auto other = static_cast<Pid>(random() % 300);
    const auto taken = aside.take(sort_of(part_of(other, 1, 0).span));
    REQUIRE(taken.has_value() == expected.contains(other));
    if (taken) total -= taken->time;
    expected.erase(other);
    REQUIRE(aside.time() == total);
    REQUIRE(aside.empty() == expected.empty());
  }
}

}  // namespace kutrace::test
