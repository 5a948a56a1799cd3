// SPDX-License-Identifier: BSD-3-Clause
// Noise told by blocks of time: how intervals are shared among blocks, what variance blocks tell
// of, and how often that lets chance pass for a change.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "reports/block_bootstrap.h"
#include "reports/significance.h"

namespace kutrace::test {
namespace {

using reports::BlockBootstrap;
using reports::BlockSeries;
using reports::BlockSums;
using reports::TimeBlocks;

using Shares = std::vector<std::pair<std::size_t, Ns>>;

Shares shares_of(const TimeBlocks& blocks, Ns start, Ns duration) {
  Shares shares;
  blocks.share(start, duration,
               [&](std::size_t block, Ns part) { shares.emplace_back(block, part); });
  return shares;
}

TEST_CASE("an interval is shared among the blocks that it reaches into") {
  const TimeBlocks blocks({{1000, 1800}});
  CHECK(blocks.length() == 10);
  CHECK_FALSE(blocks.long_enough());
  CHECK(TimeBlocks({{0, 80'000'000}}).long_enough());
  CHECK(blocks.at(1000) == 0);
  CHECK(blocks.at(1009) == 0);
  CHECK(blocks.at(1010) == 1);
  CHECK(blocks.at(1799) == 79);
  CHECK(shares_of(blocks, 1003, 4) == Shares{{0, 4}});
  CHECK(shares_of(blocks, 1003, 7) == Shares{{0, 7}});
  CHECK(shares_of(blocks, 1003, 20) == Shares{{0, 7}, {1, 10}, {2, 3}});
  CHECK(shares_of(blocks, 1005, 0).empty());
}

TEST_CASE("what lies behind a window's end belongs to the last block there") {
  const TimeBlocks blocks({{0, 400}, {1000, 1400}});
  CHECK(blocks.length() == 10);
  CHECK(shares_of(blocks, 395, 600) == Shares{{39, 600}});
  CHECK(shares_of(blocks, 385, 600) == Shares{{38, 5}, {39, 595}});
  CHECK(blocks.at(1000) == 40);
  CHECK(shares_of(blocks, 1395, 9) == Shares{{79, 9}});
  CHECK(shares_of(TimeBlocks({{0, 7}}), 3, 100) == Shares{{3, 1}, {4, 1}, {5, 1}, {6, 97}});
}

TEST_CASE("however intervals lie, every nanosecond is in the block in which it lies") {
  std::mt19937_64 random(1);
  const auto below = [&random](Ns most) { return static_cast<Ns>(random()) & 0xffff % most; };
  for (int round = 0; round < 200; ++round) {
    std::vector<TimeWindow> windows;
    Ns at = below(100);
    for (Ns i = 0; i <= below(4); ++i) {
      const Ns begin = at + below(50);
      at = begin + 1 + below(900);
      windows.push_back({begin, at});
      ++at;
    }
    TimeBlocks blocks(windows);
    const TimeWindow& window = windows[static_cast<std::size_t>(below(100)) % windows.size()];
    const Ns start = window.begin + below(window.end - window.begin);
    const Ns duration = below(1 + window.end - start);
    std::vector<Ns> slow(TimeBlocks::kCount);
    for (Ns ns = start; ns < start + duration; ++ns) ++slow[blocks.at(ns)];
    std::vector<Ns> fast(TimeBlocks::kCount);
    for (const auto& [block, part] : shares_of(blocks, start, duration)) fast[block] += part;
    CHECK(fast == slow);
  }
}

TEST_CASE("one block is told wherever an interval is shared by one alone") {
  std::mt19937_64 random(2);
  const auto below = [&random](Ns most) { return static_cast<Ns>(random() >> 1) % most; };
  for (int round = 0; round < 50; ++round) {
    const bool is_one = below(2) == 0;
    TimeBlocks blocks(
        is_one ? std::vector<TimeWindow>{{1000, 1800 + below(2000)}}
               : std::vector<TimeWindow>{{0, 1 + below(900)}, {950, 2000}, {2010, 4000}});
    for (int i = 0; i < 400; ++i) {
      const Ns start = is_one && below(2) == 0 ? 1000 + below(2800) : below(4200);
      const Ns duration = below(below(2) == 0 ? 4 : 200);
      const Shares shares = shares_of(blocks, start, duration);
      const std::size_t only = blocks.only(start, duration);
      if (only == TimeBlocks::kCount) continue;
      CHECK(blocks.at(start) == only);
      CHECK(shares == (duration == 0 ? Shares{} : Shares{{only, duration}}));
    }
    // What begins and ends in one block, in a window, is found there.
    const Ns begin = is_one ? 1000 : 2010;
    CHECK(blocks.only(begin, 1) == blocks.at(begin));
  }
}

TEST_CASE("sums of blocks are the same in whatever order things come") {
  BlockSums sums;
  BlockSums other;
  sums.add_time(7, 5);
  sums.add_count(3);
  sums.add_time(3, 2);
  other.add_count(79);
  other.add_time(7, 1);
  sums.merge(other);
  CHECK(sums.used() == 3);
  CHECK(sums.times()[7] == 6);
  CHECK(sums.times()[3] == 2);
  CHECK(sums.counts()[3] == 1);
  CHECK(sums.counts()[79] == 1);
  const BlockSeries times = sums.times();
  CHECK(std::accumulate(times.begin(), times.end(), 0.0) == 8);
}

TEST_CASE(
    "blocks that do not vary tell of no noise; a single one that differs tells of all of it") {
  const BlockBootstrap bootstrap;
  BlockSeries series{};
  series.fill(3);
  CHECK(bootstrap.variance(series) == 0);
  series.fill(0);
  series[11] = 5;
  CHECK(std::sqrt(bootstrap.variance(series)) >= 4.9);
}

// Blocks that keep so much of what their neighbour was.
BlockSeries made(std::mt19937_64& random, double kept) {
  std::normal_distribution<double> normal;
  BlockSeries series{};
  double level = normal(random);
  for (double& value : series) {
    level = kept * level + std::sqrt(1 - kept * kept) * normal(random);
    value = 10 + level;
  }
  return series;
}

double false_alarms(double kept, double level) {
  const BlockBootstrap bootstrap;
  std::mt19937_64 random(7);
  constexpr int kPairs = 2000;
  int alarms = 0;
  for (int i = 0; i < kPairs; ++i) {
    const BlockSeries a = made(random, kept);
    const BlockSeries b = made(random, kept);
    const double off =
        std::accumulate(a.begin(), a.end(), 0.0) - std::accumulate(b.begin(), b.end(), 0.0);
    const double first = bootstrap.variance(a);
    const double second = bootstrap.variance(b);
    const double sum = first + second;
    const double freedom = BlockBootstrap::kFreedom * sum * sum / (first * first + second * second);
    alarms += reports::two_sided(std::abs(off) / std::sqrt(sum), freedom) < level ? 1 : 0;
  }
  return static_cast<double>(alarms) / kPairs;
}

TEST_CASE("chance passes for a change as seldom as is promised") {
  CHECK(false_alarms(0, 0.05) <= 0.05);
  CHECK(false_alarms(0, 0.05) > 0.01);  // and not never
  CHECK(false_alarms(0.3, 0.05) <= 0.055);
  CHECK(false_alarms(0, 0.005) <= 0.005);
  CHECK(false_alarms(0.3, 0.005) <= 0.006);
  CHECK(false_alarms(0.6, 0.05) <= 0.09);  // more than promised: half a block's worth is kept
}

TEST_CASE("Holm's correction of probabilities") {
  // From Holm's own kind of example: the smallest times how many there are, and so on.
  const std::vector<double> corrected = reports::holm_corrected({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> known = {0.03, 0.06, 0.06, 0.02};
  REQUIRE(corrected.size() == known.size());
  for (std::size_t i = 0; i < known.size(); ++i) CHECK(corrected[i] == Approx(known[i]));
  CHECK(reports::holm_corrected({}).empty());
  CHECK(reports::holm_corrected({0.7, 0.9}) == std::vector<double>{1, 1});
}

TEST_CASE("Student's t distribution, against its tables") {
  CHECK(reports::two_sided(0, 5) == Approx(1));
  CHECK(reports::two_sided(12.706, 1) == Approx(0.05).epsilon(1e-4));
  CHECK(reports::two_sided(2.228, 10) == Approx(0.05).epsilon(1e-3));
  CHECK(reports::critical(0.05, 30) == Approx(2.0423).epsilon(1e-4));
  CHECK(reports::critical(0.05, 1e9) == Approx(1.95996).epsilon(1e-4));
}

}  // namespace
}  // namespace kutrace::test
