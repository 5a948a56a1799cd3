// SPDX-License-Identifier: BSD-3-Clause
// Times as tables show them. In: nanoseconds; out: numbers in the unit of a column.
#pragma once

#include "base/units.h"

namespace kutrace::emit {

constexpr double us(Ns ns) { return static_cast<double>(ns) / 1e3; }
constexpr double ms(Ns ns) { return static_cast<double>(ns) / 1e6; }
constexpr double seconds(Ns ns) { return static_cast<double>(ns) / 1e9; }

// 0 of nothing.
constexpr double percent(Ns part, Ns whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace kutrace::emit
