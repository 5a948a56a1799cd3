// SPDX-License-Identifier: BSD-3-Clause
// The threads that stand in an export where it was not known, or not told, who ran. In: an event of
// what may be an export; out: the same without them.
#pragma once

#include "format/perfetto_fields.h"
#include "read/import/kernel_event.h"

namespace kutrace::read {

inline bool stands_for_nobody(Pid pid) { return pid == kLostThread || pid == kHiddenThread; }

// Whether it is a switch to nobody: it becomes one to the idle thread, and what comes then is lost.
inline bool leads_to_nobody(KernelEvent& event) {
  if (stands_for_nobody(event.pid)) event.pid = kNoPid;
  if (event.what != What::kSwitch) return false;
  if (stands_for_nobody(event.number_as_pid(0))) event.numbers[0] = kNoPid;
  if (!stands_for_nobody(event.number_as_pid(2))) return false;
  event.numbers[2] = 0;
  event.set_text(1, {});
  return true;
}

}  // namespace kutrace::read
