// SPDX-License-Identifier: BSD-3-Clause
// How long a tick of a trace's counter is, as the fact `tick_ns` says it.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace kutrace {

// A tick is numerator / denominator nanoseconds.
struct TickRate {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;

  double ns(Ticks ticks) const {
    return static_cast<double>(ticks) * static_cast<double>(numerator) /
           static_cast<double>(denominator);
  }
  std::string text() const { return std::to_string(numerator) + "/" + std::to_string(denominator); }
};

}  // namespace kutrace
