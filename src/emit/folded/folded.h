// SPDX-License-Identifier: BSD-3-Clause
// Where all time went as folded stacks, a line for each: "server.812;read;page_fault 12345", in
// nanoseconds, as tools for flame graphs take them. In: spans and calls; out: lines.
#pragma once

#include "emit/stream/stack_export.h"

namespace kutrace::emit {

class FoldedSink : public StackExport {
 public:
  using StackExport::StackExport;

  Status finish(const TraceInfo& info) override;
};

}  // namespace kutrace::emit
