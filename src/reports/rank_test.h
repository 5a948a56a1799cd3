// SPDX-License-Identifier: BSD-3-Clause
// Whether the numbers of one sample tend to be larger than those of another: Mann and Whitney's U
// test, which asks nothing about how they are spread. In: two samples; out: U and the probability
// of one as far from the middle, to either side, by chance.
#pragma once

#include <cstddef>
#include <vector>

namespace kutrace::reports {

struct RankTest {
  double u = 0;        // pairs in which the second sample's number is larger; ties count half
  double p = 1;        // two-sided
  bool exact = false;  // else by the normal distribution, corrected for ties and continuity
};

// Samples without ties, neither larger than this, are told exactly.
constexpr std::size_t kMostExactRanks = 20;

// Both samples have at least one number.
RankTest rank_test(const std::vector<double>& before, const std::vector<double>& after);

// The least p that two samples of this size can have.
double least_rank_p(std::size_t size);

}  // namespace kutrace::reports
