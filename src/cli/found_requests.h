// SPDX-License-Identifier: BSD-3-Clause
// Requests that a command is asked about. In: A..B, a trace, and which part of it; out: those that
// the part chooses, in the order in which they end.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/selection.h"
#include "read/trace/trace_input.h"
#include "reports/interval_finder.h"

namespace kutrace::cli {

// Reads the whole trace. An error if there are none. Out: what they are called, "request A..B".
Result<std::string> find_requests(const std::string& request, const read::TraceInput& input,
                                  const NameTable& names, TraceSelection& part,
                                  const reports::IntervalFinder::Found& found);

}  // namespace kutrace::cli
