// SPDX-License-Identifier: BSD-3-Clause
// What filters share.
#include "filters/span_filter.h"

#include "format/event_table.h"

namespace kutrace {

Span hidden_span(CpuId cpu, Ns start, Ns end, NameId name) {
  Span span;
  span.start = start;
  span.duration = end - start;
  span.cpu = cpu;
  span.event = ev::kHIDDEN_SPAN;
  span.name = name;
  span.kind = SpanKind::kHidden;
  return span;
}

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
