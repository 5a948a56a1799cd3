// SPDX-License-Identifier: BSD-3-Clause
// What threads are called in tables, and which of them belong together. In: a thread's number; out:
// its label, its process, its program.
#pragma once

#include <string>

#include "model/names.h"
#include "model/trace_info.h"

namespace kutrace::reports {

// The thread itself where the trace does not tell.
Pid process_of(Pid pid, const TraceInfo& info);
// The last name it had; empty if it has none.
std::string thread_name(Pid pid, const TraceInfo& info, const NameTable& names);
// "name.number" of a thread or process, "number" of one without a name.
std::string number_label(const std::string& name, Pid number);
// The same of a thread by its number.
std::string thread_label(Pid pid, const TraceInfo& info, const NameTable& names);
// A program is all threads of processes of one name: that of its process, "?" of one without.
std::string program_of(Pid pid, const TraceInfo& info, const NameTable& names);

}  // namespace kutrace::reports
