// SPDX-License-Identifier: BSD-3-Clause
// An export of where all time went. In: spans and calls, summed up by stacks; out: what a form
// makes of the sums, at the end.
#pragma once

#include <utility>

#include "emit/stream/export_sink.h"
#include "emit/stream/stack_sums.h"

namespace kutrace::emit {

class StackExport : public ExportSink {
 public:
  StackExport(NameTable& names, TakeBytes take) : sums_(names), take_(std::move(take)) {}

  void push(const Span& span) final { sums_.push(span); }
  void expect(Pid pid, ThreadId thread, Ahead ahead) const final {
    sums_.expect(pid, thread, ahead);
  }
  void call(const Call& call) final { sums_.call(call); }
  void end(TraceInfo& info) final { sums_.end(info); }

 protected:
  const StackSums& sums() const { return sums_; }
  bool take(std::string_view bytes) const { return take_(bytes); }

 private:
  StackSums sums_;
  TakeBytes take_;
};

}  // namespace kutrace::emit
