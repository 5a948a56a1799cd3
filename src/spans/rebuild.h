// SPDX-License-Identifier: BSD-3-Clause
// The whole way from a raw file to spans, in one call.
#pragma once

#include <functional>

#include "base/result.h"
#include "format/raw_file.h"
#include "model/names.h"
#include "model/span.h"
#include "model/trace_info.h"

namespace kutrace {

// Pushes every span of the trace into `sink`, in the order that model/span.h promises. Memory does
// not grow with the trace. `progress`, if given, is called now and then with a share from 0 to 1.
Result<TraceInfo> rebuild(const RawFile& file, NameTable& names, SpanSink& sink,
                          const std::function<void(double)>& progress = {});

}  // namespace kutrace
