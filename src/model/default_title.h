// SPDX-License-Identifier: BSD-3-Clause
// What a trace is called if nobody gives it a title.
#pragma once

#include <string>

#include "model/trace_info.h"

namespace kutrace {

// The recorded title, else the recorded command; empty if there is neither.
std::string recorded_title(const TraceInfo& info);

// The same, else the host's name.
std::string default_title(const TraceInfo& info);

}  // namespace kutrace
