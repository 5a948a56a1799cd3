// SPDX-License-Identifier: BSD-3-Clause
// Raw traces of several machines to one raw trace. In: the traces, and for each a map of its times
// to those of the first; out: a trace like any other, whose CPUs are those of all machines. What a
// CPU did before and after its machine's recording is declared as lost. Memory is a block per CPU,
// and the names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "raw/machine_numbers.h"
#include "raw/machine_trace.h"
#include "raw/raw_cut.h"
#include "timeline/trace_layout.h"

namespace kutrace::raw {

// What can be asked of a trace before clocks are compared. Fails unless it was recorded by this
// project, on a machine of the first one's architecture, with the same groups of events, and holds
// one machine. `name` is the file's, for the error.
Status check_joinable(const std::string& name, const timeline::TraceLayout& layout,
                      const timeline::TraceLayout& first);

// Whether two files are of one recording, or copies of one file.
bool is_same_recording(const timeline::TraceLayout& one, const timeline::TraceLayout& other);

// Joins 2 to 128 traces that passed check_joinable(). Times are those of the first, shifted if
// another recording began before it; times of the others are rounded to its ticks, or to 1 ns where
// ticks differ. Fails if the machines have more than 65,536 CPUs together, lie years apart, or if
// the output fails.
Result<RawSummary> join_machines(const std::vector<MachineTrace>& traces, const RawOutput& output);

}  // namespace kutrace::raw
