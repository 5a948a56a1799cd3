// SPDX-License-Identifier: BSD-3-Clause
// What filters share.
#include "filters/span_filter.h"

namespace kutrace::filters {

void note_filter(TraceInfo& info, const std::string& what) {
  if (info.events != 0) info.facts.add(fact::kSourceEvents, info.events);
  info.blocks = 0;
  info.entries = 0;
  info.events = 0;
  info.by_event.clear();
  info.facts.add(fact::kFilter, what);
}

}  // namespace kutrace::filters
