// SPDX-License-Identifier: BSD-3-Clause
// Pairs of two lists of times, beside the best of all that there are.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <vector>

#include "align/nearest_pairs.h"

namespace kutrace::align {
namespace {

using Times = std::vector<Ns>;

Ns cost_of(const Times& ones, const Times& others, const std::vector<NearestPair>& pairs,
           Ns most_apart) {
  Ns cost = static_cast<Ns>(others.size() - pairs.size()) * most_apart;
  for (const NearestPair& pair : pairs) cost += std::abs(ones[pair.one] - others[pair.other]);
  return cost;
}

// Of every way to pair them in order.
Ns least_cost(const Times& ones, const Times& others, Ns most_apart) {
  std::vector<Ns> before(ones.size() + 1, 0);
  for (const Ns other : others) {
    std::vector<Ns> now(ones.size() + 1, before[0] + most_apart);
    for (std::size_t i = 0; i < ones.size(); ++i)
      now[i + 1] =
          std::min({now[i], before[i + 1] + most_apart, before[i] + std::abs(ones[i] - other)});
    before = now;
  }
  return before.back();
}

}  // namespace

TEST_CASE("times are paired at the least cost there is") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 3000; ++round) {
    Times ones(random() % 12);
    Times others(random() % 12);
    const Ns span = 1 + static_cast<Ns>(random() % 60);
    for (Times* times : {&ones, &others}) {
      for (Ns& time : *times) time = static_cast<Ns>(random()) % span;
      std::ranges::sort(*times);
    }
    constexpr Ns kMostApart = 10;
    const auto pairs = nearest_pairs(ones, others, kMostApart);
    CHECK(cost_of(ones, others, pairs, kMostApart) == least_cost(ones, others, kMostApart));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      CHECK(std::abs(ones[pairs[i].one] - others[pairs[i].other]) <= kMostApart);
      if (i != 0) CHECK((pairs[i - 1].one < pairs[i].one && pairs[i - 1].other < pairs[i].other));
    }
  }
}

TEST_CASE("what one time passes over remains for the next") {
  const std::vector<NearestPair> straight = {{0, 0}, {1, 1}, {2, 2}};
  CHECK(nearest_pairs(Times{0, 100, 200}, Times{100, 200, 300}, 1000).size() == 3);
  CHECK(nearest_pairs(Times{0, 4, 8}, Times{6, 7, 9}, 10) == straight);
  // A later one that fits exactly stays so where the earlier one has nothing near.
  CHECK(nearest_pairs(Times{0, 50}, Times{50, 50'000}, 1000) == std::vector<NearestPair>{{1, 0}});
  CHECK(nearest_pairs({}, Times{1}, 10).empty());
  CHECK(nearest_pairs(Times{1}, {}, 10).empty());
}

TEST_CASE("a hundred thousand times on either side have all their pairs") {
  constexpr Ns kTimes = 100'000;
  Times ones;
  Times others;
  for (Ns i = 0; i < kTimes; ++i) {
    ones.push_back(2 * i);
    ones.push_back(2 * i + 1);
    others.push_back(2 * i + 1);
  }
  const auto pairs = nearest_pairs(ones, others, 10'000);
  REQUIRE(pairs.size() == kTimes);
  CHECK(cost_of(ones, others, pairs, 10'000) == 0);
}

}  // namespace kutrace::align
