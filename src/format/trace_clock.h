// SPDX-License-Identifier: BSD-3-Clause
// Counter ticks to nanoseconds, one monotonic map for the whole trace.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace kutrace {

__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): takes no __extension__

class TraceClock {
 public:
  TraceClock() = default;
  // ns_per_tick in (0, 1e6]; time 0 is `start`.
  TraceClock(Ticks start, double ns_per_tick)
      : start_(start),
        multiplier_(static_cast<std::uint64_t>(ns_per_tick * static_cast<double>(kOne) + 0.5)) {}

  Ns to_ns(Ticks counter) const {
    const auto ticks = static_cast<Wide>(static_cast<std::int64_t>(counter - start_));
    return static_cast<Ns>((ticks * static_cast<Wide>(multiplier_)) >> kShift);
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
