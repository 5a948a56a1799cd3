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
#include <vector>

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
  struct Open {
    Pid pid = kNoPid;
    std::string name;
    std::string ended_by;   // of a mark
    std::uint32_t rpc = 0;  // of a request
    Ns start = 0;
    std::uint64_t id = 0;
    TraceNumber trace;
    std::uint64_t parent = 0;  // 0: none
    bool has_child = false;    // that was written
  };

  Open opened(const Span& span, std::string name);
  bool is_parent(const Open& open) const;
  void write(const Open& open, Ns end, bool is_finished);
  void rpc(const Span& span);
  void mark(const Span& span);
  void belongs(Pid pid, const TraceContext& context);

  const NameTable& names_;
  TakeBytes take_;
  ThreadNames threads_;
  std::unordered_map<Pid, NameId> thread_names_;
  std::string uname_;
  std::int64_t wall_ns_ = 0;
  std::uint64_t seed_ = 0;  // tells traces apart
  std::uint64_t opened_ = 0;
  std::vector<Open> open_;  // as they began
  bool first_ = true;
};

}  // namespace kutrace::emit
