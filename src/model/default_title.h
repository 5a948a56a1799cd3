// SPDX-License-Identifier: BSD-3-Clause
// What a trace is called when nobody says.
#pragma once

#include <string>

#include "model/trace_info.h"

namespace kutrace {

// The title that was recorded, or the recorded command; empty if there is neither.
std::string recorded_title(const TraceInfo& info);

// The same, or the host.
std::string default_title(const TraceInfo& info);

}  // namespace kutrace
