// SPDX-License-Identifier: BSD-3-Clause
// Drawing runs of blocks.
#include "reports/block_bootstrap.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace kutrace::reports {

namespace {

constexpr std::size_t kBlocks = TimeBlocks::kCount;

// As if no block had anything to do with another.
double independent(const BlockSeries& off) {
  double squares = 0;
  for (const double value : off) squares += value * value;
  return squares * static_cast<double>(kBlocks) / static_cast<double>(kBlocks - 1);
}

// Sums of runs of that length, by where they begin.
BlockSeries sums_of_runs(const BlockSeries& off, std::size_t length) {
  BlockSeries runs{};
  for (std::size_t begin = 0; begin < kBlocks; ++begin) {
    for (std::size_t i = 0; i < length; ++i) runs[begin] += off[(begin + i) % kBlocks];
  }
  return runs;
}

}  // namespace

// The draws are always the same, so how often any two runs were drawn together is all that a mean
// of squared sums asks of them: the square of a sum is the sum of all products of two.
BlockBootstrap::BlockBootstrap() {
  std::mt19937_64 random(20'010'911);
  for (std::size_t i = 0; i < kRuns.size(); ++i) {
    together_[i].resize(kBlocks * kBlocks);
    std::vector<std::size_t> begins(kBlocks / kRuns[i]);
    for (std::size_t resample = 0; resample < kResamples; ++resample) {
      for (std::size_t& begin : begins) begin = random() % kBlocks;
      for (const std::size_t a : begins) {
        for (const std::size_t b : begins) ++together_[i][a * kBlocks + b];
      }
    }
  }
}

double BlockBootstrap::resampled(const BlockSeries& off, std::size_t i) const {
  const BlockSeries runs = sums_of_runs(off, kRuns[i]);
  double squares = 0;
  for (std::size_t a = 0; a < kBlocks; ++a) {
    double with_a = 0;
    for (std::size_t b = 0; b < kBlocks; ++b) with_a += together_[i][a * kBlocks + b] * runs[b];
    squares += runs[a] * with_a;
  }
  // Around their own mean, runs vary less than around the true one.
  const double few = static_cast<double>(kBlocks) / static_cast<double>(kBlocks - kRuns[i]);
  return squares / static_cast<double>(kResamples) * few;
}

double BlockBootstrap::variance(const BlockSeries& series) const {
  const double mean =
      std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(kBlocks);
  BlockSeries off = series;
  for (double& value : off) value -= mean;
  double most = independent(off);
  for (std::size_t i = 0; i < kRuns.size(); ++i) {
    static_assert(kBlocks % kRuns[0] == 0 && kBlocks % kRuns[1] == 0);
    most = std::max(most, resampled(off, i));
  }
  return most;
}

}  // namespace kutrace::reports
