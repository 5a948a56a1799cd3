// SPDX-License-Identifier: BSD-3-Clause
// kutrace stat --request: where the time of requests went. In: what they are, which tables of them
// are wanted, and the trace; out: these tables.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/selection.h"
#include "cli/table_output.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

struct RequestTables {
  std::string request;          // A..B
  std::vector<std::string> by;  // "program", "request"; none: these two
  std::string sort;             // empty: by what they took
  std::size_t top = 0;
};

Status write_request_tables(const RequestTables& wanted, const SelectionOptions& options,
                            const read::TraceInput& input, const TableOptions& output,
                            const WidthOptions& width);

}  // namespace kutrace::cli
