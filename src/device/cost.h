// SPDX-License-Identifier: BSD-3-Clause
// What recording costs on this machine: the same system call in a tight loop, with and without.
#pragma once

#include "base/result.h"
#include "device/source.h"

namespace kutrace {

// Nanoseconds of one getppid, the less disturbed of several batches.
double time_one_call();

// The same with empty programs on its entry and return: what no tracer of this kind gets below.
Result<double> time_with_empty_programs();

struct Cost {
  double without_ns = 0;  // one system call, nothing attached
  double with_ns = 0;
  double ns_per_event() const { return (with_ns - without_ns) / 2; }  // entry and return
};

// Records a few milliseconds of this CPU and throws them away. `without_ns` was measured before the
// source was opened.
Result<Cost> measure_cost(Source& source, double without_ns);

}  // namespace kutrace
