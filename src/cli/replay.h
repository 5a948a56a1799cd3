// SPDX-License-Identifier: BSD-3-Clause
// Replaying an input while a bar shows how far it is, and what it lacked. In: any trace; out: its
// spans and facts.
#pragma once

#include "base/result.h"
#include "read/trace/trace_input.h"

namespace kutrace::cli {

Result<TraceInfo> replay_shown(const read::TraceInput& input, NameTable& names, SpanSink& sink);

// Warns if not all of a replay's input could be read, or much was not recorded. For commands whose
// result does not say it first.
void warn_of_gaps(const read::TraceInput& input, const TraceInfo& info);

// Warns of what the recorder was told to omit. For commands that sum up or explain.
void warn_of_unrecorded(const read::TraceInput& input, const TraceInfo& info);

// Tells which control groups were throttled. For commands that explain why a thread did not run.
void tell_of_throttling(const read::TraceInput& input, const TraceInfo& info);

}  // namespace kutrace::cli
