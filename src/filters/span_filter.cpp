// SPDX-License-Identifier: BSD-3-Clause
// What filters share.
#include "filters/span_filter.h"

namespace kutrace {

void note_filter(TraceInfo& info, std::string what) {
  if (info.events != 0) {
    info.meta.emplace_back("source_events", std::to_string(info.events));
  }
  info.blocks = 0;
  info.entries = 0;
  info.events = 0;
  info.by_event.clear();
  info.meta.emplace_back("filter", std::move(what));
}

}  // namespace kutrace
