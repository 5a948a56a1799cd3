// SPDX-License-Identifier: BSD-3-Clause
// Differences of times.
#include "record/run/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "record/ebpf/empty_programs.h"

namespace kutrace::record {

double rounded(double value, double parts) { return std::round(value * parts) / parts; }

std::optional<double> Cost::ns_per_event() const {
  const double pair = with.ns - without.ns;  // a call is an entry and a return
  if (pair <= std::max(with.spread, without.spread)) return std::nullopt;
  return pair / 2;
}

std::string Cost::text() const {
  const std::optional<double> ns = ns_per_event();
  return ns ? fmt::format("{:.0f} ns per event", *ns)
            : "not measurable: this machine is too busy, or is recorded already";
}

Result<CallTime> time_with_empty_programs() {
  KUTRACE_ASSIGN(const EmptyPrograms programs, EmptyPrograms::attach());
  return time_one_call();
}

Result<Cost> measure_cost(Source& source, CallTime without) {
  KUTRACE_ASSIGN(const CallTime with, source.time_recorded_call());
  return Cost{without, with};
}

}  // namespace kutrace::record
