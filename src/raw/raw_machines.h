// SPDX-License-Identifier: BSD-3-Clause
// Raw traces of several machines to one raw trace. In: the traces, and a map of each one's times to
// those of the first; out: a trace like any other, whose CPUs are those of all machines. What a CPU
// did before and after its machine's recording is declared as lost. Memory is a block per CPU, and
// the names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "raw/machine_numbers.h"
#include "raw/machine_trace.h"
#include "raw/raw_cut.h"
#include "timeline/trace_layout.h"

namespace kutrace::raw {

// What is asked of a trace before clocks are compared: that it is of this project, and holds the
// same kinds of events as the first machine's, of a machine of its architecture.
Status check_joinable(const std::string& name, const timeline::TraceLayout& layout,
                      const timeline::TraceLayout& first);

// Two files of one recording, or copies of one.
bool is_same_recording(const timeline::TraceLayout& one, const timeline::TraceLayout& other);

// 2 to 128 machines that fit. The first one's times are those of the result, but for a shift where
// another recording began before it; those of others are rounded to its ticks, or to 1 ns where
// ticks differ.
Result<RawSummary> join_machines(const std::vector<MachineTrace>& traces, const RawOutput& output);

}  // namespace kutrace::raw
