// SPDX-License-Identifier: BSD-3-Clause
// How long a tick of a trace's counter is. The fact `tick_ns` says it as "numerator/denominator",
// in nanoseconds.
#pragma once

#include "base/units.h"

namespace kutrace {

// A tick is numerator / denominator nanoseconds.
struct TickRate {
  double numerator = 1;
  double denominator = 1;

  double ns(Ticks ticks) const { return static_cast<double>(ticks) * numerator / denominator; }
  Ticks ticks(Ns ns) const {
    return static_cast<Ticks>(static_cast<double>(ns) * denominator / numerator);
  }
};

}  // namespace kutrace
