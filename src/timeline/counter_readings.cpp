// SPDX-License-Identifier: BSD-3-Clause
// Texts to records.
#include "timeline/counter_readings.h"

#include "format/event_table.h"
#include "timeline/preamble_texts.h"

namespace kutrace::timeline {

CounterRecords recorded_counters(const TraceLayout& layout) {
  return parse_counters(preamble_texts(layout, kind::kCOUNTER));
}

}  // namespace kutrace::timeline
