// SPDX-License-Identifier: BSD-3-Clause
// Lives for a trace that tells of none. In: its thread table; out: a life for each thread, as
// long as the trace and without an id.
#pragma once

#include <vector>

#include "model/call.h"
#include "model/trace_info.h"

namespace kutrace {

std::vector<ThreadLife> lives_of(const TraceInfo& info);

}  // namespace kutrace
