// SPDX-License-Identifier: BSD-3-Clause
// How coarse an overview must be, see span_budget.h.
#include "filters/span_budget.h"

#include <algorithm>
#include <bit>

namespace kutrace::filters {

// At least as many as there are: all of the resolution's own power of two count.
std::uint64_t SpanBudget::at_least(Ns resolution) const {
  std::uint64_t sum = 0;
  for (auto bits = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(resolution)));
       bits < kSteps; bits++) {
    sum += by_bits_[bits];
  }
  return sum;
}

Ns SpanBudget::coarser(Ns resolution) {
  if (resolution >= kCoarsest) return kCoarsest;
  Ns power = 1;
  while (resolution / power >= 10) power *= 10;
  const Ns first = resolution / power;
  return first < 2 ? 2 * power : first < 5 ? 5 * power : 10 * power;
}

Ns SpanBudget::resolution_for(std::uint64_t most, const TraceInfo& info) const {
  const Ns duration = info.end - info.begin;
  Ns resolution = 1;
  while (resolution < std::min(duration, kCoarsest)) {
    const auto folded = info.cpus.size() * static_cast<std::uint64_t>(duration / resolution);
    if (at_least(resolution) + std::min(folded, count_) <= most) break;
    resolution = coarser(resolution);
  }
  return resolution;
}

}  // namespace kutrace::filters
