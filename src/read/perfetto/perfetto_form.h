// SPDX-License-Identifier: BSD-3-Clause
// Traces of Perfetto that hold events of the kernel's ftrace.
#pragma once

#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kPerfettoForm;

}  // namespace kutrace::read
