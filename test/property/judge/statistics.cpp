// SPDX-License-Identifier: BSD-3-Clause
// What comparisons reckon with, for a judge that is not ours. In: lines of a question and numbers;
// out: a line of numbers for each.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "reports/block_bootstrap.h"
#include "reports/median_shift.h"
#include "reports/overhead.h"
#include "reports/quantile.h"
#include "reports/rank_test.h"
#include "reports/run_test.h"
#include "reports/significance.h"

namespace {

// Two samples: the size of the first, and both.
struct Samples {
  std::vector<double> before;
  std::vector<double> after;

  explicit Samples(const std::vector<double>& numbers) {
    const auto begin = numbers.begin() + 1;
    const auto split = begin + static_cast<std::ptrdiff_t>(numbers.at(0));
    before.assign(begin, split);
    after.assign(split, numbers.end());
  }
};

std::vector<double> answer_of_samples(const std::string& question, const Samples& samples) {
  using namespace kutrace::reports;
  if (question == "rank_test") {
    const RankTest test = rank_test(samples.before, samples.after);
    return {test.u, test.p, test.exact ? 1.0 : 0.0};
  }
  if (question == "run_test") {
    const RunTest test = run_test(samples.before, samples.after);
    return {test.error, test.freedom, test.p};
  }
  const MedianShift shift = median_shift(samples.before, samples.after);
  return {shift.shift, shift.low, shift.high, shift.standard_error};
}

// Of wall times in ns: what an experiment with so many ways could have found.
std::vector<double> detectable(const std::vector<double>& numbers) {
  using namespace kutrace::reports;
  const Samples samples({numbers.begin() + 1, numbers.end()});
  const auto runs = [](const std::vector<double>& times) {
    OverheadRuns all;
    for (const double time : times) all.push_back({static_cast<kutrace::Ns>(time), 0, 0, 0});
    return all;
  };
  const std::vector<OverheadRuns> ways(static_cast<std::size_t>(numbers.at(0)),
                                       runs(samples.after));
  const OverheadMeasure wall = overhead(runs(samples.before), ways).front().wall;
  return {wall.detectable, wall.difference.standard_error, wall.corrected};
}

std::vector<double> answer(const std::string& question, const std::vector<double>& numbers) {
  using namespace kutrace::reports;
  if (question == "two_sided") return {two_sided(numbers.at(0), numbers.at(1))};
  if (question == "critical") return {critical(numbers.at(0), numbers.at(1))};
  if (question == "holm") return holm_corrected(numbers);
  if (question == "quantile")
    return {quantile({numbers.begin() + 1, numbers.end()}, numbers.at(0))};
  if (question == "detectable") return detectable(numbers);
  if (question == "rank_test" || question == "median_shift" || question == "run_test") {
    return answer_of_samples(question, Samples(numbers));
  }
  if (question != "variance" || numbers.size() != TimeBlocks::kCount) return {};
  BlockSeries series{};
  std::ranges::copy(numbers, series.begin());
  static const BlockBootstrap bootstrap;
  return {bootstrap.variance(series)};
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string question;
    words >> question;
    const std::vector<double> numbers{std::istream_iterator<double>(words), {}};
    std::string text;
    for (const double number : answer(question, numbers)) text += fmt::format("{:.17g} ", number);
    std::cout << text << '\n';
  }
}
