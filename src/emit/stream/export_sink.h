// SPDX-License-Identifier: BSD-3-Clause
// A trace in the form of another tool. In: spans, calls and lives; out: bytes, handed to a callback
// as they become known, so that memory does not grow with the trace.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "model/span_sink.h"

namespace kutrace::emit {

// False: what takes the bytes cannot take more; it knows why.
using TakeBytes = std::function<bool(std::string_view)>;

class ExportSink : public SpanSink {
 public:
  // After the stream's end, once: hands over what is left.
  virtual Status finish(const TraceInfo& info) = 0;
};

}  // namespace kutrace::emit
