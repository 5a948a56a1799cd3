// SPDX-License-Identifier: BSD-3-Clause
// Names of threads as a stream of spans tells them. In: spans; out: the name that the span's thread
// has by then; none: it is not told so far.
#pragma once

#include "base/by_number.h"
#include "model/span.h"

namespace kutrace::emit {

class ThreadNames {
 public:
  NameId name_at(const Span& span) {
    if (span.pid == kNoPid) return kNoName;
    NameId& name = names_[span.pid];
    if (is_user(span.kind) || span.kind == SpanKind::kRename) name = span.name;
    return name;
  }

  NameId name_of(Pid pid) { return names_[pid]; }

 private:
  ByNumber<NameId> names_;
};

}  // namespace kutrace::emit
