// SPDX-License-Identifier: BSD-3-Clause
// Switches before all else.
#include "read/perfetto/cpu_runners.h"

namespace kutrace::read {

namespace {

// What a thread does itself.
bool is_of_thread(What what) {
  return what == What::kSyscall || what == What::kSyscallReturn || what == What::kFault;
}

}  // namespace

Pid CpuRunners::of(CpuId cpu) const {
  const auto found = running_.find(cpu);
  return found == running_.end() ? kNoPid : found->second;
}

bool CpuRunners::settle(KernelEvent& event) {
  const Pid known = of(event.cpu);
  if (event.what == What::kSwitch) {
    runs(event.cpu, event.number_as_pid(2));
    return true;
  }
  // A thread that starts a program may get another number.
  if (event.what == What::kExec && known != kNoPid) {
    runs(event.cpu, event.number_as_pid(0));
    event.pid = kNoPid;
    return true;
  }
  const bool is_nobody = nobody_on_.contains(event.cpu);
  if (!is_of_thread(event.what)) {
    if (event.pid == 0 || known != kNoPid || is_nobody) event.pid = kNoPid;
    return true;
  }
  const bool is_believed = known == event.pid || (known == kNoPid && !is_nobody);
  if (!switches_are_told_ || is_believed) return true;
  ++strangers_;
  return false;
}

}  // namespace kutrace::read
