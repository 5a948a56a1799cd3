// SPDX-License-Identifier: BSD-3-Clause
// This program's own pages and containers as a form that can be read.
#pragma once

#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kPageForm;

}  // namespace kutrace::read
