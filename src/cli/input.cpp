// SPDX-License-Identifier: BSD-3-Clause
// Path to raw trace.
#include "cli/input.h"

#include <utility>

#include "read/trace/trace_input.h"

namespace kutrace::cli {

Result<RawFile> open_trace(const std::string& path) {
  KUTRACE_ASSIGN(read::TraceInput input, read::TraceInput::open(path));
  return std::move(input).take_raw();
}

}  // namespace kutrace::cli
