// SPDX-License-Identifier: BSD-3-Clause
// What recording costs, told from runs: how often chance passes for a cost, how often a cost is
// found, and what the numbers of a row are.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "reports/median_shift.h"
#include "reports/overhead.h"
#include "reports/quantile.h"
#include "reports/rank_test.h"

namespace kutrace::test {
namespace {

using reports::OverheadRow;
using reports::OverheadRun;
using reports::OverheadRuns;

constexpr std::size_t kRuns = 20;  // of ten rounds
constexpr double kMs = 1e6;

// Times of a program: never below some, now and then far above.
class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed) {}

  OverheadRuns runs(std::size_t count, double more_ms, std::uint64_t events = 0) {
    std::lognormal_distribution<double> noise(0, 0.7);
    OverheadRuns runs(count);
    for (OverheadRun& run : runs) {
      run.wall = static_cast<Ns>((50 + more_ms + noise(random_)) * kMs);
      run.cpu = static_cast<Ns>((40 + more_ms + noise(random_)) * kMs);
      run.events = events;
    }
    return runs;
  }

 private:
  std::mt19937_64 random_;
};

// In how many of so many experiments any row's wall time is found to have grown, and shrunk.
struct Verdicts {
  int grew = 0;
  int shrank = 0;
};

Verdicts verdicts(int experiments, std::size_t ways, double more_ms) {
  Machine machine(5);
  Verdicts result;
  for (int i = 0; i < experiments; ++i) {
    const OverheadRuns bare = machine.runs(kRuns, 0);
    std::vector<OverheadRuns> recorded;
    for (std::size_t way = 0; way < ways; ++way) recorded.push_back(machine.runs(kRuns, more_ms));
    const std::vector<OverheadRow> rows = reports::overhead(bare, recorded);
    const auto any = [&rows](bool up) {
      return std::ranges::any_of(rows, [up](const OverheadRow& row) {
        return row.wall.found && (row.wall.difference.shift > 0) == up;
      });
    };
    result.grew += any(true) ? 1 : 0;
    result.shrank += any(false) ? 1 : 0;
  }
  return result;
}

TEST_CASE("where recording costs nothing, one experiment in twenty at most finds a cost") {
  const Verdicts alone = verdicts(400, 1, 0);
  CHECK(alone.grew + alone.shrank <= 20);
  CHECK(alone.grew + alone.shrank >= 2);  // and not never
  const Verdicts many = verdicts(80, 9, 0);
  CHECK(many.grew + many.shrank <= 4);
}

TEST_CASE("a cost is found, and never with the wrong sign") {
  const Verdicts small = verdicts(60, 1, 1.5);
  CHECK(small.grew >= 57);
  CHECK(small.shrank == 0);
}

TEST_CASE("the least difference is what four of five experiments find") {
  Machine machine(6);
  std::vector<double> least;
  for (int i = 0; i < 100; ++i) {
    const auto rows = reports::overhead(machine.runs(kRuns, 0), {machine.runs(kRuns, 0)});
    least.push_back(rows.front().wall.detectable / kMs);
  }
  std::ranges::sort(least);
  const Verdicts found = verdicts(300, 1, reports::quantile(least, 0.5));
  CHECK(found.grew >= 300 * 0.7);
  CHECK(found.grew <= 300 * 0.95);
}

TEST_CASE("an interval covers the true difference as often as it says") {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  int covered = 0;
  constexpr int kExperiments = 400;
  for (int i = 0; i < kExperiments; ++i) {
    std::vector<double> before(kRuns);
    std::vector<double> after(kRuns);
    for (double& number : before) number = 10 + normal(random);
    for (double& number : after) number = 13 + normal(random);
    const reports::MedianShift shift = reports::median_shift(before, after);
    covered += shift.low <= 3 && 3 <= shift.high ? 1 : 0;
  }
  CHECK(covered >= kExperiments * 0.93);
}

TEST_CASE("a growth that an experiment does not see may hide in it") {
  Machine machine(6);
  const auto rows = reports::overhead(machine.runs(kRuns, 0), {machine.runs(kRuns, 0)});
  const reports::OverheadMeasure& wall = rows.front().wall;
  REQUIRE_FALSE(wall.found);
  const double least = wall.percent(wall.detectable);
  CHECK(wall.may_hide(least / 100));
  CHECK_FALSE(wall.may_hide(least));
  const auto large = reports::overhead(machine.runs(kRuns, 0), {machine.runs(kRuns, 50)});
  CHECK_FALSE(large.front().wall.may_hide(0));
}

TEST_CASE("a row's numbers are those of its runs") {
  OverheadRuns bare;
  OverheadRuns recorded;
  for (Ns i = 1; i <= 20; ++i) {
    bare.push_back({100 + i, 50, 0, 0});
    recorded.push_back({300 + i, 50 + i, 1000, 1});
  }
  const std::vector<OverheadRow> rows = reports::overhead(bare, {recorded});
  REQUIRE(rows.size() == 1);
  const OverheadRow& row = rows.front();
  CHECK(row.runs == 20);
  CHECK(row.events == 1000);
  CHECK(row.lost == 20);
  CHECK(row.wall.bare_median == 110.5);
  CHECK(row.wall.bare_p95 == Approx(119.05));
  CHECK(row.wall.recorded_median == 310.5);
  CHECK(row.wall.difference.shift == 200);
  CHECK(row.wall.growth() == Approx(100 * 200 / 110.5));
  REQUIRE(row.wall.per_event.has_value());
  CHECK(row.wall.per_event.value() == Approx(0.2));
  CHECK(row.wall.found);
  CHECK(row.wall.test.exact);
  CHECK(row.cpu.bare_p95 == 50);
  CHECK(row.cpu.found);
  CHECK_FALSE(row.cpu.test.exact);  // there are ties
}

TEST_CASE("one of fifteen ways must be more than chance among fifteen") {
  OverheadRuns bare;
  OverheadRuns above;
  for (Ns i = 0; i < 8; ++i) {
    bare.push_back({10 * i, 10 * i, 0, 0});
    above.push_back({10 * i + 41, 10 * i + 41, 0, 0});
  }
  const auto alone = reports::overhead(bare, {above});
  CHECK(alone.front().wall.found);
  CHECK(alone.front().wall.corrected == alone.front().wall.test.p);
  std::vector<OverheadRuns> ways(15, bare);
  ways.front() = above;
  const auto many = reports::overhead(bare, ways);
  CHECK(many.front().wall.test.p == alone.front().wall.test.p);
  CHECK(many.front().wall.corrected == Approx(15 * alone.front().wall.test.p));
  CHECK_FALSE(many.front().wall.found);
}

TEST_CASE("runs that are all alike differ in nothing") {
  const OverheadRuns same(6, OverheadRun{100, 0, 0, 0});
  const auto rows = reports::overhead(same, {same});
  CHECK(rows.front().wall.difference.shift == 0);
  CHECK(rows.front().wall.test.p == 1);
  CHECK(rows.front().wall.detectable == 0);
  CHECK_FALSE(rows.front().wall.found);
  CHECK_FALSE(rows.front().wall.per_event.has_value());
  CHECK(rows.front().cpu.growth() == 0);
}

TEST_CASE("so few runs find nothing however far apart they are") {
  CHECK_FALSE(reports::can_find_overhead(2, 1));
  CHECK(reports::can_find_overhead(4, 1));
  CHECK_FALSE(reports::can_find_overhead(4, 2));
  CHECK(reports::can_find_overhead(20, 18));
  const OverheadRuns low = {{1, 1, 0, 0}, {2, 2, 0, 0}};
  const OverheadRuns high = {{1001, 1, 0, 0}, {1002, 2, 0, 0}};
  CHECK_FALSE(reports::overhead(low, {high}).front().wall.found);
}

// Every way to choose which numbers are the first sample's, counted.
double counted_p(const std::vector<double>& before, const std::vector<double>& after) {
  std::vector<double> all = before;
  all.insert(all.end(), after.begin(), after.end());
  const double middle = static_cast<double>(before.size() * after.size()) / 2;
  const auto off = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double u = 0;
    for (const double x : a) {
      for (const double y : b) u += y > x ? 1.0 : 0.0;
    }
    return std::abs(u - middle);
  };
  const double seen = off(before, after);
  std::vector<bool> chosen(all.size());
  std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(before.size()), true);
  double as_far = 0;
  double orders = 0;
  do {
    std::vector<double> a;
    std::vector<double> b;
    for (std::size_t i = 0; i < all.size(); ++i) (chosen[i] ? a : b).push_back(all[i]);
    as_far += off(a, b) >= seen ? 1 : 0;
    ++orders;
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return as_far / orders;
}

TEST_CASE("Mann and Whitney's probability is that of all orders, counted") {
  std::mt19937_64 random(9);
  for (std::size_t n = 1; n <= 6; ++n) {
    for (std::size_t m = 1; m <= 6; ++m) {
      std::vector<double> numbers(n + m);
      std::iota(numbers.begin(), numbers.end(), 0.0);
      std::ranges::shuffle(numbers, random);
      const auto split = numbers.begin() + static_cast<std::ptrdiff_t>(n);
      const std::vector<double> before(numbers.begin(), split);
      const std::vector<double> after(split, numbers.end());
      const reports::RankTest test = reports::rank_test(before, after);
      CHECK(test.exact);
      CHECK(test.p == Approx(counted_p(before, after)));
      CHECK(reports::rank_test(after, before).p == Approx(test.p));
    }
  }
}

}  // namespace
}  // namespace kutrace::test
