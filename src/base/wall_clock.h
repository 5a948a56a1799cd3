// SPDX-License-Identifier: BSD-3-Clause
// Wall clocks as nanoseconds. In: microseconds since 1970, as traces have them; out: nanoseconds,
// to which any time of a trace can be added.
#pragma once

#include <cstdint>
#include <limits>

#include "base/units.h"

namespace kutrace {

// 0, which means not known, for what is centuries away: only damaged traces say that.
constexpr Ns wall_ns(std::uint64_t usec) {
  constexpr Ns kLongestTrace = Ns{1} << 62;
  constexpr Ns kMost = std::numeric_limits<Ns>::max() - kLongestTrace;
  constexpr std::uint64_t kNsPerUsec = 1000;
  return usec > kMost / kNsPerUsec ? 0 : static_cast<Ns>(usec * kNsPerUsec);
}

}  // namespace kutrace
