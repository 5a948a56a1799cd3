// SPDX-License-Identifier: BSD-3-Clause
// What is known of a trace, as text for people: who, when, where, what was lost or not seen.
#pragma once

#include <string>

#include "emit/text/text_sink.h"
#include "model/names.h"
#include "model/trace_info.h"

namespace kutrace::emit {

void info_text(const TraceInfo& info, const NameTable& names, const LineSink& line);

}  // namespace kutrace::emit
