// SPDX-License-Identifier: BSD-3-Clause
// Raw traces as a form that can be read: the spans are rebuilt.
#pragma once

#include <memory>

#include "format/raw_file.h"
#include "read/form/trace_form.h"

namespace kutrace::read {

extern const TraceForm kRawForm;

std::unique_ptr<TraceReader> read_raw(RawFile file);

}  // namespace kutrace::read
