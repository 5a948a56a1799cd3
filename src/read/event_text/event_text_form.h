// SPDX-License-Identifier: BSD-3-Clause
// The kernel's events as lines of text: ftrace's own files, trace-cmd report, perf script.
#pragma once

#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kEventTextForm;

}  // namespace kutrace::read
