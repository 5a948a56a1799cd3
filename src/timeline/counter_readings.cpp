// SPDX-License-Identifier: BSD-3-Clause
// Entries to texts to records.
#include "timeline/counter_readings.h"

#include "format/event_table.h"
#include "timeline/text_chunks.h"
#include "timeline/trace_layout.h"

namespace kutrace::timeline {

CounterRecords recorded_counters(const TraceLayout& layout) {
  TextChunks chunks;
  for (const decode::Entry& entry : layout.preamble) {
    if (name_kind(entry.number) == kind::kCOUNTER) chunks.push(entry);
  }
  return parse_counters(chunks.texts());
}

}  // namespace kutrace::timeline
