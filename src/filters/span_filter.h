// SPDX-License-Identifier: BSD-3-Clause
// What every filter is: a sink that passes spans on to another sink. Spans enter that keep the law
// (reports/law_check.h) and spans leave that keep it for the trace's facts as `finish` changed
// them.
#pragma once

#include <string>

#include "model/span.h"
#include "model/trace_info.h"

namespace kutrace {

class SpanFilter : public SpanSink {
 public:
  // Passes on what was held back and makes the facts those of the filtered trace. Called once,
  // after the last push; filters in a row finish in that row's order.
  virtual void finish(TraceInfo& info) = 0;
};

// Counts of entries and events are the source's, not the filtered trace's: they move to the facts,
// as "source_events", and `what` is noted there, too, as "filter".
void note_filter(TraceInfo& info, const std::string& what);

}  // namespace kutrace
