// SPDX-License-Identifier: BSD-3-Clause
// kutrace why without a question: what is odd in a trace. In: the trace, which part of it, where
// the answer goes, how wide a terminal is (0: there is none); out: the answer, and kFindings if
// anything is odd.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "cli/selection.h"
#include "cli/table_output.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

Result<int> say_what_is_odd(const read::TraceInput& input, const std::string& file,
                            const SelectionOptions& part, const TableOptions& table,
                            std::size_t width);

// What is looked for.
Result<int> list_detectors(const TableOptions& table);

}  // namespace kutrace::cli
