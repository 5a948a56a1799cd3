// SPDX-License-Identifier: BSD-3-Clause
// Student's t distribution by the incomplete beta function.
#include "reports/significance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace kutrace::reports {

namespace {

// Lentz's continued fraction; converges where x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 500;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double upper = 1;
  double lower = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = lower;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    lower = 1 / away_from_zero(1 + even * lower);
    upper = away_from_zero(1 + even / upper);
    fraction *= lower * upper;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    lower = 1 / away_from_zero(1 + odd * lower);
    upper = away_from_zero(1 + odd / upper);
    const double step = lower * upper;
    fraction *= step;
    if (std::abs(step - 1) < 1e-15) break;
  }
  return fraction;
}

// The regularized incomplete beta function.
// `rest` is 1 - x, which x cannot tell where it is small.
double incomplete_beta(double a, double b, double x, double rest) {
  if (x <= 0) return 0;
  if (rest <= 0) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log(rest));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, rest) / b;
}

}  // namespace

double two_sided(double t, double freedom) {
  if (std::isinf(t)) return 0;
  const double square = t * t;
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square),
                         square / (freedom + square));
}

double critical(double level, double freedom) {
  double low = 0;
  double high = 1;
  while (two_sided(high, freedom) > level) high *= 2;
  while (true) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (two_sided(middle, freedom) > level ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::vector<double> holm_corrected(const std::vector<double>& probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return probabilities[a] < probabilities[b]; });
  std::vector<double> corrected(probabilities.size());
  double most = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    most = std::max(most, std::min(1.0, left * probabilities[order[i]]));
    corrected[order[i]] = most;
  }
  return corrected;
}

}  // namespace kutrace::reports
