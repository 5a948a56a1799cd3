// SPDX-License-Identifier: BSD-3-Clause
// How much a sum over a recording would vary if one like it was recorded again, told from one
// recording alone. In: what each of its blocks adds to the sum; out: the sum's variance.
//
// It is that of resamples: runs of blocks that follow each other, begun anywhere (in a circle), put
// together until there are as many blocks. Runs keep what blocks have in common with the next ones:
// short ones where that is little, long ones where it is much. Of their variances, and that of
// blocks which have nothing in common, the largest counts. The draws are always the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reports/block_sums.h"

namespace kutrace::reports {

class BlockBootstrap {
 public:
  static constexpr std::size_t kResamples = 2000;
  static constexpr std::array<std::size_t, 2> kRuns = {4, 16};  // how many blocks
  // Degrees of freedom of the variance: what overlapping runs of 8 are worth. With these, one
  // difference in 20 at most looks unlike chance where blocks depend on their neighbours little or
  // not; test/unit/reports_bootstrap_test.cpp counts.
  static constexpr double kFreedom = 1.5 * static_cast<double>(TimeBlocks::kCount) / 8 - 1;

  BlockBootstrap();

  double variance(const BlockSeries& series) const;

 private:
  // As runs of kRuns[i] blocks have it.
  double resampled(const BlockSeries& off, std::size_t i) const;

  // For each length of runs: how often those that begin in two blocks were drawn together, as a
  // square of kCount by kCount.
  std::array<std::vector<double>, kRuns.size()> together_;
};

}  // namespace kutrace::reports
