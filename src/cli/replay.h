// SPDX-License-Identifier: BSD-3-Clause
// Replaying an input while a bar shows how far it is. In: any trace; out: its spans and facts.
#pragma once

#include "base/result.h"
#include "read/trace/trace_input.h"

namespace kutrace {

Result<TraceInfo> replay_shown(const TraceInput& input, NameTable& names, SpanSink& sink);

}  // namespace kutrace
