// SPDX-License-Identifier: BSD-3-Clause
// Why a question has no answer. In: the question, what the trace has of it, and which part was
// chosen; out: the error that says so, with what there is instead.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "cli/selection.h"
#include "read/trace/trace_input.h"
#include "reports/interval_finder.h"

namespace kutrace::cli {

// What fits the question in all of the trace; `cut`: of the part, what begins or ends outside of
// the recording.
struct FoundOf {
  std::uint64_t all = 0;
  std::uint64_t cut = 0;
};

Error nothing_found(const reports::Question& question, const reports::IntervalFinder& finder,
                    const FoundOf& found, const TraceSelection& part,
                    const read::TraceInput& input);

}  // namespace kutrace::cli
