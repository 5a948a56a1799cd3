// SPDX-License-Identifier: BSD-3-Clause
// Where all time went as folded stacks, a line for each: "server.812;read;page_fault 12345", in
// nanoseconds, as tools for flame graphs take them. In: spans and calls; out: lines.
#pragma once

#include "emit/stream/export_sink.h"
#include "emit/stream/stack_sums.h"

namespace kutrace::emit {

class FoldedSink : public ExportSink {
 public:
  FoldedSink(NameTable& names, TakeBytes take) : sums_(names), take_(std::move(take)) {}

  void push(const Span& span) override { sums_.push(span); }
  void call(const Call& call) override { sums_.call(call); }
  void end(TraceInfo& info) override { sums_.end(info); }
  Status finish(const TraceInfo& info) override;

 private:
  StackSums sums_;
  TakeBytes take_;
};

}  // namespace kutrace::emit
