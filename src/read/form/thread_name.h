// SPDX-License-Identifier: BSD-3-Clause
// Names of threads in forms that tell them with what threads execute. In: a span of a thread that
// has its name; out: what is known of the thread, and a moment where its name changes.
#pragma once

#include "model/span_sink.h"
#include "model/trace_info.h"

namespace kutrace::read {

inline void take_thread_name(const Span& span, ThreadInfo& thread, SpanSink& sink) {
  if (thread.name != kNoName && thread.name != span.name) {
    Span moment;
    moment.start = span.start;
    moment.cpu = span.cpu;
    moment.pid = span.pid;
    moment.name = span.name;
    moment.kind = SpanKind::kRename;
    sink.push(moment);
  }
  thread.name = span.name;
}

}  // namespace kutrace::read
