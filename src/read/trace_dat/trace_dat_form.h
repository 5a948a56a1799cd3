// SPDX-License-Identifier: BSD-3-Clause
// trace.dat, what trace-cmd records, as a form that can be read.
#pragma once

#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kTraceDatForm;

}  // namespace kutrace::read
