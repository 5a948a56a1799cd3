// SPDX-License-Identifier: BSD-3-Clause
// The caller's niceness, kept from the first time that it is changed.
#include "record/run/urgency.h"

#include <sys/resource.h>

#include <optional>

namespace kutrace::record {

namespace {

constexpr int kMostUrgent = -20;

std::optional<int> of_caller;

}  // namespace

void be_urgent() {
  if (!of_caller) of_caller = getpriority(PRIO_PROCESS, 0);
  setpriority(PRIO_PROCESS, 0, kMostUrgent);
}

void be_as_urgent_as_caller() {
  if (of_caller) setpriority(PRIO_PROCESS, 0, *of_caller);
}

}  // namespace kutrace::record
