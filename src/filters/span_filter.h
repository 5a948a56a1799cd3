// SPDX-License-Identifier: BSD-3-Clause
// What every filter is: a sink that passes spans on to another sink. In: spans that add up
// (reports/law_check.h); out: spans that add up for the facts that the filter passes on at the end.
#pragma once

#include <string>

#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::filters {

class SpanFilter : public SpanStage {
 public:
  using SpanStage::SpanStage;
  // Calls and lives are of whole traces.
  void call(const Call&) override {}
  void life(const ThreadLife&) override {}
  void end(TraceInfo& info) final {
    finish(info);
    SpanStage::end(info);
  }

 private:
  // Passes on what was held back and makes the facts those of the filtered trace.
  virtual void finish(TraceInfo& info) = 0;
};

// Counts of entries and events are the source's, not the filtered trace's: they move to the facts,
// as "source_events", and `what` is noted there, too, as "filter".
void note_filter(TraceInfo& info, const std::string& what);

}  // namespace kutrace::filters
