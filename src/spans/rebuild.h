// SPDX-License-Identifier: BSD-3-Clause
// The whole way from a raw file to spans, in one call.
#pragma once

#include <functional>

#include "base/result.h"
#include "format/raw_file.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::spans {

// Pushes every span of the trace into `sink`, in the order that model/span.h promises, and returns
// all that is known of the trace. Memory does not grow with the trace. `opened`: what opening the
// file counted; `progress`, if given, is called now and then with a share from 0 to 1. Fails as
// timeline::lay_out() does; throws Bug if the program breaks a promise of its own.
Result<TraceInfo> rebuild(const RawFile& file, NameTable& names, SpanSink& sink,
                          const Counters& opened = {},
                          const std::function<void(double)>& progress = {});

}  // namespace kutrace::spans
