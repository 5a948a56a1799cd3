// SPDX-License-Identifier: BSD-3-Clause
// Names of causes.
#include "reports/cause.h"

#include <array>

namespace kutrace::reports {

const char* cause_name(CauseKind kind) {
  constexpr std::array<const char*, kCauseKinds> kNames = {
      "user",      "call",      "fault", "scheduler",
      "interrupt", "softirq",   "ready", "ready_interrupt",
      "wakeup",    "idle_exit", "timer", "disk",
      "network",   "device",    "waker", "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace kutrace::reports
