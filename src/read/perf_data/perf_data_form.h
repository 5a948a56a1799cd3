// SPDX-License-Identifier: BSD-3-Clause
// perf.data, what perf records, as a form that can be read.
#pragma once

#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kPerfDataForm;

}  // namespace kutrace::read
