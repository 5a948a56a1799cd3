// SPDX-License-Identifier: BSD-3-Clause
// Files of other tools, opened and replayed for a test.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "format/counters.h"
#include "read/form/trace_form.h"
#include "support/spans_of.h"

namespace kutrace::test {

// The test fails if no form of trace takes these bytes for its own.
Result<std::unique_ptr<read::TraceReader>> opened(const std::string& file);
// The test fails if they are refused.
Replay replayed(const std::string& file);
// What opening found wrong.
Counters found_in(const std::string& file);

}  // namespace kutrace::test
