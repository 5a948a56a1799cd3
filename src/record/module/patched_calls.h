// SPDX-License-Identifier: BSD-3-Clause
// Which of the module's hooks a patched kernel calls directly (kpatch/), and that in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kutrace/control.h"

namespace kutrace::record {

// Whether an entry of the module's list stands for a call of a patched kernel, used or not, rather
// than for a tracepoint.
bool is_patched_call(const kutrace_hook_info& hook);

// A call that this recording does without, as what it needs comes by tracepoint.
void leave_to_tracepoints(std::string_view call, std::vector<kutrace_hook_info>& hooks);

// The same of all of them.
void leave_all_to_tracepoints(std::vector<kutrace_hook_info>& hooks);

// Names of the calls that are used.
std::vector<std::string> patched_calls(const std::vector<kutrace_hook_info>& hooks);

// "patch", "tracepoints", or "patch, but tracepoints for NAME, ...".
std::string hooks_text(const std::vector<kutrace_hook_info>& hooks);

}  // namespace kutrace::record
