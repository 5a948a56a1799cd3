// SPDX-License-Identifier: BSD-3-Clause
// Span JSON, alone or in a page of KUtrace's, as a form that can be read.
#pragma once

#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kSpanJsonForm;

}  // namespace kutrace::read
