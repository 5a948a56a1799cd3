// SPDX-License-Identifier: BSD-3-Clause
// For each detector of what is odd: small traces that trigger it, and some that all but do.
#pragma once

#include <vector>

#include "support/trace_builder.h"

namespace kutrace::test {

struct OddTrace {
  const char* detector;
  std::vector<TraceBuilder (*)()> triggers;
  std::vector<TraceBuilder (*)()> near_misses;
};

// All of them end then.
constexpr Ticks kOddStop = 50'000'000;  // 800 ms
const std::vector<OddTrace>& odd_traces();

}  // namespace kutrace::test
