// SPDX-License-Identifier: BSD-3-Clause
// What is told of threads by number. In: a number, and what is known of it; out: its name, its
// process.
#pragma once

#include <string>

#include "model/names.h"
#include "model/trace_info.h"

namespace kutrace::reports {

// The thread itself where the trace does not tell.
Pid process_of(Pid pid, const TraceInfo& info);
// The last name it had; empty if it has none.
std::string thread_name(Pid pid, const TraceInfo& info, const NameTable& names);

}  // namespace kutrace::reports
