// SPDX-License-Identifier: BSD-3-Clause
// What a detector cannot see in a trace. In: what the trace has; out: what of that which the
// detector needs is not there.
#pragma once

#include "format/event_groups.h"
#include "format/facts.h"
#include "odd/detector.h"

namespace kutrace::odd {

struct Unseen {
  bool threads = false;       // it has only some
  EventGroups groups;         // that were not recorded
  bool frequencies = false;   // of no CPU are they told
  bool quotas = false;        // control groups are not told
  bool ended_groups = false;  // one with a quota ended, and was read only once
  bool recorder = false;      // nor who recorded

  bool any() const {
    return threads || !groups.empty() || frequencies || quotas || ended_groups || recorder;
  }
};

// `frequencies`: whether the trace tells any.
Unseen unseen_by(const DetectorKind& kind, const Facts& facts, bool frequencies);

}  // namespace kutrace::odd
