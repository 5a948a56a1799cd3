// SPDX-License-Identifier: BSD-3-Clause
// A declared loss.
#include "model/loss_span.h"

#include "format/event_table.h"

namespace kutrace {

Span loss_span(CpuId cpu, Ns start, Ns end, unsigned reason, NameId name) {
  Span span;
  span.start = start;
  span.duration = end - start;
  span.cpu = cpu;
  span.event = ev::kLOSS_SPAN;
  span.arg = reason;
  span.name = name;
  span.kind = SpanKind::kLoss;
  return span;
}

}  // namespace kutrace
