// SPDX-License-Identifier: BSD-3-Clause
// How the kernel, trace-cmd and perf print the events that become something. In: a tracepoint and
// its text; out: what it says.
#pragma once

#include <string_view>

#include "read/import/kernel_event.h"

namespace kutrace::read {

// False: it is printed in no form that is known.
bool parse_event_text(What what, std::string_view text, KernelEvent& event);

}  // namespace kutrace::read
