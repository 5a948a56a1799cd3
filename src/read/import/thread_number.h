// SPDX-License-Identifier: BSD-3-Clause
// Numbers of threads as files have them. In: a number of 64 bits; out: a thread's, or one that no
// thread can have, so that it is not cut to that of another one.
#pragma once

#include <cstdint>
#include <limits>

#include "base/units.h"

namespace kutrace::read {

constexpr Pid kNotAThread = std::numeric_limits<Pid>::min();

constexpr Pid thread_number(std::uint64_t value) {
  const auto number = static_cast<std::int64_t>(value);
  const auto cut = static_cast<Pid>(number);
  return cut == number ? cut : kNotAThread;
}

}  // namespace kutrace::read
