// SPDX-License-Identifier: BSD-3-Clause
// Counter ticks to nanoseconds: one linear map for a whole trace. Time never goes back, and times
// before the start are negative. A file may tell any counter, so times end at kFarthest.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"
#include "base/wide.h"

namespace kutrace {

class TraceClock {
 public:
  // Either way from the start, so that the distance of two times fits.
  static constexpr Ns kFarthest = (Ns{1} << 62) - 1;

  TraceClock() = default;
  // Time 0 is `start`; `ns_per_tick` must lie in (0, 1e6].
  TraceClock(Ticks start, double ns_per_tick)
      : start_(start),
        multiplier_(static_cast<std::uint64_t>(ns_per_tick * static_cast<double>(kOne) + 0.5)) {}

  Ns to_ns(Ticks counter) const {
    if (counter >= start_) [[likely]] {
      const UnsignedWide ns = (UnsignedWide{counter - start_} * multiplier_) >> kShift;
      return static_cast<Ns>(std::min<UnsignedWide>(ns, kFarthest));
    }
    const Wide ticks = -Wide{start_ - counter};
    const Wide ns = (ticks * static_cast<Wide>(multiplier_)) >> kShift;
    return static_cast<Ns>(std::max<Wide>(ns, -kFarthest));
  }
  Ticks start() const { return start_; }
  double ns_per_tick() const {
    return static_cast<double>(multiplier_) / static_cast<double>(kOne);
  }

 private:
  static constexpr int kShift = 32;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << kShift;

  Ticks start_ = 0;
  std::uint64_t multiplier_ = kOne;
};

}  // namespace kutrace
