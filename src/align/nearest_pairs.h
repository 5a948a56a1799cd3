// SPDX-License-Identifier: BSD-3-Clause
// Pairs of two lists of times, in their order. In: both ascending, and how far apart a pair may be;
// out: pairs of positions. As many as possible, and as near as possible: the sum of all distances
// plus `most_apart` for each of `others` that stays alone is the least there is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace kutrace::align {

struct NearestPair {
  std::uint32_t one = 0;
  std::uint32_t other = 0;

  bool operator==(const NearestPair&) const = default;
};

std::vector<NearestPair> nearest_pairs(std::span<const Ns> ones, std::span<const Ns> others,
                                       Ns most_apart);

}  // namespace kutrace::align
