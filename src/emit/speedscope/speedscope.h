// SPDX-License-Identifier: BSD-3-Clause
// Where all time went for speedscope: two profiles, of what CPUs did and of what threads waited
// for. In: spans and calls; out: JSON after speedscope's schema.
#pragma once

#include "emit/stream/export_sink.h"
#include "emit/stream/stack_sums.h"

namespace kutrace::emit {

class SpeedscopeSink : public ExportSink {
 public:
  SpeedscopeSink(NameTable& names, TakeBytes take) : sums_(names), take_(std::move(take)) {}

  void push(const Span& span) override { sums_.push(span); }
  void call(const Call& call) override { sums_.call(call); }
  void end(TraceInfo& info) override { sums_.end(info); }
  Status finish(const TraceInfo& info) override;

 private:
  StackSums sums_;
  TakeBytes take_;
};

}  // namespace kutrace::emit
