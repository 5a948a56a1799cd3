// SPDX-License-Identifier: BSD-3-Clause
// Sums of time over threads or calls. What one of them lasted always fits; the many that a damaged
// trace tells of may not together, and then the sum stays at the most there is.
#pragma once

#include <limits>

#include "base/units.h"

namespace kutrace {

// `more` is at least 0.
inline void add_time(Ns& sum, Ns more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = std::numeric_limits<Ns>::max();
}

}  // namespace kutrace
