// SPDX-License-Identifier: BSD-3-Clause
// Where all time went for speedscope: two profiles, of what CPUs did and of what threads waited
// for. In: spans and calls; out: JSON after speedscope's schema.
#pragma once

#include "emit/stream/stack_export.h"

namespace kutrace::emit {

class SpeedscopeSink : public StackExport {
 public:
  using StackExport::StackExport;

  Status finish(const TraceInfo& info) override;
};

}  // namespace kutrace::emit
