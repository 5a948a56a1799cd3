// SPDX-License-Identifier: BSD-3-Clause
// What recording costs on this machine: the same system call in a tight loop, with and without.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "record/proc/call_time.h"
#include "record/source/source.h"

namespace kutrace::record {

// The same with empty programs on its entry and return: what no tracer of this kind gets below.
Result<CallTime> time_with_empty_programs();

// To tenths, hundredths, ... : more digits were not measured.
double rounded(double value, double parts);

struct Cost {
  CallTime without;  // nothing attached
  CallTime with;
  // Empty where the difference is no more than what the times differ among themselves.
  std::optional<double> ns_per_event() const;
  std::string text() const;
};

// Records a few milliseconds of this CPU and throws them away. `without` was measured before the
// source was opened.
Result<Cost> measure_cost(Source& source, CallTime without);

}  // namespace kutrace::record
