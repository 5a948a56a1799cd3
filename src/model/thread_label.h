// SPDX-License-Identifier: BSD-3-Clause
// What threads and processes are called in all answers. In: a name, which may be empty, and a
// number; out: a label. And the way back.
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"
#include "format/facts.h"
#include "model/names.h"
#include "model/trace_info.h"

namespace kutrace {

// "name.number" of a thread or process, "number" of one without a name; "name.number@host" in a
// trace of several machines.
std::string thread_label(const std::string& name, Pid number, const Facts& facts);
// The same by number alone: the name is what is known of it at the end.
std::string thread_label(Pid number, const TraceInfo& info, const NameTable& names);
// The name in such a label of that number; empty: it has none.
std::string_view name_in_label(std::string_view label, Pid number);
// Of all that have that name: "name", "?" of those without one.
std::string name_label(const std::string& name);

}  // namespace kutrace
