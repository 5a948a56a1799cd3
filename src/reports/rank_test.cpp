// SPDX-License-Identifier: BSD-3-Clause
// Ranks, and the distribution of their sum.
#include "reports/rank_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kutrace::reports {

namespace {

struct Ranks {
  double u = 0;     // of the second sample
  double ties = 0;  // t^3 - t of each group of t equal numbers, summed up
};

Ranks ranks_of(const std::vector<double>& before, const std::vector<double>& after) {
  std::vector<std::pair<double, bool>> all;  // with whether it is of the second sample
  for (const double number : before) all.emplace_back(number, false);
  for (const double number : after) all.emplace_back(number, true);
  std::ranges::sort(all);
  Ranks ranks;
  double sum = 0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    std::size_t of_second = 0;
    for (; end < all.size() && all[end].first == all[begin].first; ++end) {
      of_second += all[end].second ? 1u : 0u;
    }
    const auto tied = static_cast<double>(end - begin);
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    sum += rank * static_cast<double>(of_second);
    ranks.ties += tied * tied * tied - tied;
  }
  const auto size = static_cast<double>(after.size());
  ranks.u = sum - size * (size + 1) / 2;
  return ranks;
}

// How many orders of n and m numbers have each U: the coefficients of the Gaussian binomial, the
// product of (1 - x^(m+i)) / (1 - x^i). Whole numbers below 2^53 for samples up to kMostExactRanks.
std::vector<double> orders_by_u(std::size_t n, std::size_t m) {
  std::vector<double> orders(n * m + 1);
  orders[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t u = orders.size(); u-- > m + i;) orders[u] -= orders[u - m - i];
    for (std::size_t u = i; u < orders.size(); ++u) orders[u] += orders[u - i];
  }
  return orders;
}

double exact_p(std::size_t n, std::size_t m, double u) {
  const std::vector<double> orders = orders_by_u(n, m);
  const double farther = std::max(u, static_cast<double>(n * m) - u);
  const double beyond =
      std::accumulate(orders.begin() + static_cast<std::ptrdiff_t>(farther), orders.end(), 0.0);
  return std::min(1.0, 2 * beyond / std::accumulate(orders.begin(), orders.end(), 0.0));
}

double normal_p(double n, double m, const Ranks& ranks) {
  constexpr double kContinuity = 0.5;
  const double all = n + m;
  const double variance = n * m / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
  if (!(variance > 0)) return 1;  // all are equal
  const double off = std::abs(ranks.u - n * m / 2) - kContinuity;
  return std::min(1.0, std::erfc(off / std::sqrt(2 * variance)));
}

}  // namespace

RankTest rank_test(const std::vector<double>& before, const std::vector<double>& after) {
  const Ranks ranks = ranks_of(before, after);
  const bool exact = ranks.ties == 0 && std::max(before.size(), after.size()) <= kMostExactRanks;
  const double p = exact ? exact_p(before.size(), after.size(), ranks.u)
                         : normal_p(static_cast<double>(before.size()),
                                    static_cast<double>(after.size()), ranks);
  return {ranks.u, p, exact};
}

double least_rank_p(std::size_t size) {
  std::vector<double> low(size);
  std::iota(low.begin(), low.end(), 0.0);
  std::vector<double> high(size);
  std::iota(high.begin(), high.end(), static_cast<double>(size));
  return rank_test(low, high).p;
}

}  // namespace kutrace::reports
