// SPDX-License-Identifier: BSD-3-Clause
// Where all time went for pprof: profile.proto, packed with gzip. Samples have a time in
// nanoseconds and a number of spans; labels tell whether it is execution or a wait, and the host.
// In: spans and calls; out: bytes.
#pragma once

#include "emit/stream/export_sink.h"
#include "emit/stream/stack_sums.h"

namespace kutrace::emit {

class PprofSink : public ExportSink {
 public:
  PprofSink(NameTable& names, TakeBytes take) : sums_(names), take_(std::move(take)) {}

  void push(const Span& span) override { sums_.push(span); }
  void call(const Call& call) override { sums_.call(call); }
  void end(TraceInfo& info) override { sums_.end(info); }
  Status finish(const TraceInfo& info) override;

 private:
  StackSums sums_;
  TakeBytes take_;
};

}  // namespace kutrace::emit
