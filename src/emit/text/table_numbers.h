// SPDX-License-Identifier: BSD-3-Clause
// Times and counts as tables show them. In: nanoseconds; out: numbers in the unit of a column, and
// its cells.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/units.h"

namespace kutrace::emit {

constexpr double us(Ns ns) { return static_cast<double>(ns) / 1e3; }
constexpr double ms(Ns ns) { return static_cast<double>(ns) / 1e6; }
constexpr double seconds(Ns ns) { return static_cast<double>(ns) / 1e9; }

// 0 of nothing.
constexpr double percent(Ns part, Ns whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

inline std::string ms_cell(Ns time) { return fmt::format("{:.6f}", ms(time)); }
// Of a mean, in nanoseconds.
inline std::string ms_cell(double time) { return fmt::format("{:.6f}", time / 1e6); }
inline std::string us_cell(Ns time) { return fmt::format("{:.3f}", us(time)); }
inline std::string us_cell(double time) { return fmt::format("{:.3f}", time / 1e3); }
inline std::string seconds_cell(Ns time) { return fmt::format("{:.9f}", seconds(time)); }
inline std::string count_cell(std::uint64_t count) { return fmt::format("{}", count); }
inline std::string percent_cell(Ns part, Ns whole) {
  return fmt::format("{:.3f}", percent(part, whole));
}

}  // namespace kutrace::emit
