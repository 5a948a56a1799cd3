// SPDX-License-Identifier: BSD-3-Clause
// Who runs on each CPU, where switches tell it. Other events name a thread, too, but not all who
// write such traces know it: those of this project's exports have the idle thread in interrupts,
// and calls of threads that slept stand on any CPU. In: events in the order of their times; out:
// the same, with what can be believed.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "read/import/kernel_event.h"

namespace kutrace::read {

class CpuRunners {
 public:
  explicit CpuRunners(bool switches_are_told) : switches_are_told_(switches_are_told) {}

  // kNoPid: it is not known.
  Pid of(CpuId cpu) const;
  void runs(CpuId cpu, Pid pid) {
    running_[cpu] = pid;
    nobody_on_.erase(cpu);
  }
  // The trace says that it is not known who runs, until the next switch.
  void nobody_runs(CpuId cpu) {
    runs(cpu, kNoPid);
    nobody_on_.insert(cpu);
  }
  // False: its thread does not run there, so it is no evidence for this CPU.
  bool settle(KernelEvent& event);
  // Events that were none of their CPU.
  std::uint64_t strangers() const { return strangers_; }

 private:
  bool switches_are_told_;
  std::unordered_map<CpuId, Pid> running_;
  std::unordered_set<CpuId> nobody_on_;
  std::uint64_t strangers_ = 0;
};

}  // namespace kutrace::read
