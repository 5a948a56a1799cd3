// SPDX-License-Identifier: BSD-3-Clause
// What threads and processes are called in tables. In: a number, and what is known of it; out: its
// name, its process, its label.
#pragma once

#include <string>

#include "format/facts.h"
#include "model/names.h"
#include "model/trace_info.h"

namespace kutrace::reports {

// The thread itself where the trace does not tell.
Pid process_of(Pid pid, const TraceInfo& info);
// The last name it had; empty if it has none.
std::string thread_name(Pid pid, const TraceInfo& info, const NameTable& names);
// "name.number" of a thread or process, "number" of one without a name; "name.number@host" in a
// trace of several machines.
std::string number_label(const std::string& name, Pid number, const Facts& facts);

}  // namespace kutrace::reports
