// SPDX-License-Identifier: BSD-3-Clause
// Requests and marks as spans of OpenTelemetry, in the JSON of OTLP. In: spans; out: one document.
//
// A request is an RPC, from its request to its response, as `kutrace why --rpc` takes it; a mark is
// one from a label to the label that ends it on the same thread. A mark inside another mark or a
// request of its thread is its child; one with a mark "traceparent=..." in it is the child of that
// span of another program (trace_context.h). Requests and marks that do not end are left out, as it
// is not known when they did, unless something in the document is their child: those last until it
// is known that they have no end, and have the attribute kutrace.unfinished.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "emit/otlp/open_spans.h"
#include "emit/otlp/trace_context.h"
#include "emit/stream/export_sink.h"
#include "emit/stream/thread_names.h"
#include "model/names.h"

namespace kutrace::emit {

class OtlpSink : public ExportSink {
 public:
  OtlpSink(const NameTable& names, TakeBytes take) : names_(names), take_(std::move(take)) {}

  void begin(const TraceInfo& known) override;
  void push(const Span& span) override;
  Status finish(const TraceInfo& info) override;

 private:
  OpenSpan opened(const Span& span, std::string name);
  void close(const OpenSpan& open, Ns now);
  void write(const OpenSpan& open, Ns end, bool is_finished);
  void rpc(const Span& span);
  void mark(const Span& span);
  void belongs(Pid pid, const TraceContext& context);

  const NameTable& names_;
  TakeBytes take_;
  ThreadNames threads_;
  std::unordered_map<Pid, NameId> thread_names_;
  std::string uname_;
  Ns wall_ns_ = 0;
  std::uint64_t seed_ = 0;  // tells traces apart
  std::uint64_t opened_ = 0;
  OpenSpans open_;
  bool first_ = true;
};

}  // namespace kutrace::emit
