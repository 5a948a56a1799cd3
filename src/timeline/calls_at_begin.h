// SPDX-License-Identifier: BSD-3-Clause
// System calls that were under way where a trace begins whose older part is overwritten: what their
// threads show first is the return. In: a layout, of this project's recorder; out: thread and call.
#pragma once

#include <vector>

#include "base/units.h"

namespace kutrace::timeline {

struct TraceLayout;

struct CallAtBegin {
  Pid pid = kNoPid;
  EventNum call = 0;  // of 12 bits
};

std::vector<CallAtBegin> calls_at_begin(const TraceLayout& layout);

}  // namespace kutrace::timeline
