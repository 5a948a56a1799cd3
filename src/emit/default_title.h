// SPDX-License-Identifier: BSD-3-Clause
// What a trace is called when nobody says: the recorded command, else the host.
#pragma once

#include <string>

#include "spans/trace_info.h"

namespace kutrace {

std::string default_title(const TraceInfo& info);

}  // namespace kutrace
