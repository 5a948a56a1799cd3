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
#include "reports/significance.h"

namespace {

std::vector<double> answer(const std::string& question, const std::vector<double>& numbers) {
  using namespace kutrace::reports;
  if (question == "two_sided") return {two_sided(numbers.at(0), numbers.at(1))};
  if (question == "critical") return {critical(numbers.at(0), numbers.at(1))};
  if (question == "holm") return holm_corrected(numbers);
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
