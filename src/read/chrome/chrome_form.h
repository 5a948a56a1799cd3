// SPDX-License-Identifier: BSD-3-Clause
// Chrome's JSON (Trace Event Format) as a form that can be read.
#pragma once

#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kChromeForm;

}  // namespace kutrace::read
