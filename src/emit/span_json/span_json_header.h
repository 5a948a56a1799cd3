// SPDX-License-Identifier: BSD-3-Clause
// The lines of upstream's span JSON that are not spans: before them and behind them.
#pragma once

#include <cstdint>
#include <string>

#include "model/trace_info.h"

namespace kutrace::emit {

// Where a file's times count from: the minute in which the trace's time 0 lies, or one earlier.
struct JsonTimeBase {
  std::uint64_t minute = 0;  // since 1970
  Ns offset = 0;             // of the trace's time 0 behind that minute
};
JsonTimeBase json_time_base(const TraceInfo& info);

struct SpanJsonHead {
  std::string title;
  JsonTimeBase base;
  std::uint32_t random_id = 0;  // names the page's saved view in a browser
  bool unsorted = false;
};
std::string span_json_head(const SpanJsonHead& head, const TraceInfo& info);

// The sentinel, the end of the array, and what the input page had saved.
std::string span_json_tail(const TraceInfo& info);

}  // namespace kutrace::emit
