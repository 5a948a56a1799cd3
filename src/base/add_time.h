// SPDX-License-Identifier: BSD-3-Clause
// Sums of time. One length of time always fits; the many of a damaged trace together may not, and
// then the sum stays at the largest number.
#pragma once

#include <limits>

#include "base/units.h"

namespace kutrace {

// `more` is at least 0.
inline void add_time(Ns& sum, Ns more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = std::numeric_limits<Ns>::max();
}

}  // namespace kutrace
