// SPDX-License-Identifier: BSD-3-Clause
// Where an export's clock stands at time 0 of its trace. In: what is known of the trace; out: its
// CLOCK_MONOTONIC, to which any time of the trace can be added.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"
#include "model/trace_info.h"

namespace kutrace::emit {

inline Ns start_of_export(const TraceInfo& known) {
  constexpr Ns kUnknown = 1'000'000'000;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;  // a file may tell any number
  const auto told = known.facts.get(fact::kStartMonotonicNs);
  const Ns start = told && *told <= kMost ? static_cast<Ns>(*told) : kUnknown;
  // Times before 0 would be refused.
  return std::max(start, -known.begin);
}

}  // namespace kutrace::emit
