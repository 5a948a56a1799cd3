// SPDX-License-Identifier: BSD-3-Clause
// Where all time went for pprof: profile.proto, packed with gzip. Samples have a time in
// nanoseconds and a number of spans; labels tell whether it is execution or a wait, and the host.
// In: spans and calls; out: bytes.
#pragma once

#include "emit/stream/stack_export.h"

namespace kutrace::emit {

class PprofSink : public StackExport {
 public:
  using StackExport::StackExport;

  Status finish(const TraceInfo& info) override;
};

}  // namespace kutrace::emit
