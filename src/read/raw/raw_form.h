// SPDX-License-Identifier: BSD-3-Clause
// Raw traces as a form that can be read: the spans are rebuilt.
#pragma once

#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kRawForm;

}  // namespace kutrace::read
