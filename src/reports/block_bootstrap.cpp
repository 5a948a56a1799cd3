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

double resampled(const BlockSeries& off, std::size_t length,
                 const std::vector<std::uint8_t>& begins) {
  BlockSeries runs{};  // by where they begin
  for (std::size_t begin = 0; begin < kBlocks; ++begin) {
    for (std::size_t i = 0; i < length; ++i) runs[begin] += off[(begin + i) % kBlocks];
  }
  const std::size_t together = kBlocks / length;
  double squares = 0;
  for (std::size_t i = 0; i < begins.size(); i += together) {
    double sum = 0;
    for (std::size_t run = 0; run < together; ++run) sum += runs[begins[i + run]];
    squares += sum * sum;
  }
  // Around their own mean, runs vary less than around the true one.
  const double few = static_cast<double>(kBlocks) / static_cast<double>(kBlocks - length);
  return squares / static_cast<double>(BlockBootstrap::kResamples) * few;
}

}  // namespace

BlockBootstrap::BlockBootstrap() {
  std::mt19937_64 random(20'010'911);
  for (std::size_t i = 0; i < kRuns.size(); ++i) {
    begins_[i].resize(kResamples * (kBlocks / kRuns[i]));
    for (std::uint8_t& begin : begins_[i]) begin = static_cast<std::uint8_t>(random() % kBlocks);
  }
}

double BlockBootstrap::variance(const BlockSeries& series) const {
  const double mean =
      std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(kBlocks);
  BlockSeries off = series;
  for (double& value : off) value -= mean;
  double most = independent(off);
  for (std::size_t i = 0; i < kRuns.size(); ++i) {
    static_assert(kBlocks % kRuns[0] == 0 && kBlocks % kRuns[1] == 0);
    most = std::max(most, resampled(off, kRuns[i], begins_[i]));
  }
  return most;
}

}  // namespace kutrace::reports
