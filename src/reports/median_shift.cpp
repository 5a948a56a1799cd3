// SPDX-License-Identifier: BSD-3-Clause
// Drawing numbers of sorted samples by their places, and counting: the median of a draw needs no
// sorting.
#include "reports/median_shift.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "reports/quantile.h"

namespace kutrace::reports {

namespace {

constexpr double kTail = 0.025;

class Resampler {
 public:
  explicit Resampler(const std::vector<double>& sorted) : sorted_(sorted), drawn_(sorted.size()) {}

  // The median of as many numbers as there are, each drawn from all of them.
  double median(std::mt19937_64& random) {
    const std::uint64_t size = drawn_.size();
    std::ranges::fill(drawn_, 0);
    for (std::uint64_t i = 0; i < size; ++i) ++drawn_[(random() >> 32) * size >> 32];
    return (at((size - 1) / 2) + at(size / 2)) / 2;
  }

 private:
  // The number of this rank, from 0, among those that were drawn.
  double at(std::uint64_t rank) const {
    std::size_t place = 0;
    for (std::uint64_t below = drawn_[0]; below <= rank; below += drawn_[place]) ++place;
    return sorted_[place];
  }

  const std::vector<double>& sorted_;
  std::vector<std::uint32_t> drawn_;  // how often each was
};

double deviation(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  const double mean = sum / static_cast<double>(numbers.size());
  double squares = 0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return std::sqrt(squares / static_cast<double>(numbers.size() - 1));
}

}  // namespace

MedianShift median_shift(std::vector<double> before, std::vector<double> after) {
  std::ranges::sort(before);
  std::ranges::sort(after);
  std::mt19937_64 random(20'010'911);
  Resampler of_before(before);
  Resampler of_after(after);
  std::vector<double> shifts(MedianShift::kResamples);
  for (double& shift : shifts) {
    const double first = of_before.median(random);
    shift = of_after.median(random) - first;
  }
  std::ranges::sort(shifts);
  return {quantile(after, 0.5) - quantile(before, 0.5), quantile(shifts, kTail),
          quantile(shifts, 1 - kTail), deviation(shifts)};
}

}  // namespace kutrace::reports
