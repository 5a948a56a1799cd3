// SPDX-License-Identifier: BSD-3-Clause
// The line of processes that a thread comes from. In: which process each thread belongs to, and
// whose child that is; out: a process, and those before it, the nearest first.
#pragma once

#include <unordered_map>

#include "base/units.h"

namespace kutrace {

class ProcessLine {
 public:
  void belongs(Pid thread, Pid process, Pid parent) {
    process_of_[thread] = process;
    parent_of_[process] = parent;
  }
  // Of a thread of which nothing was told, itself.
  Pid process_of(Pid thread) const {
    const auto found = process_of_.find(thread);
    return found == process_of_.end() ? thread : found->second;
  }
  // Shows the process and its line until `look` returns true.
  template <typename Look>
  void climb(Pid process, Look&& look) const {
    for (int i = 0; i < kMostAncestors && !look(process); ++i) {
      const auto parent = parent_of_.find(process);
      if (parent == parent_of_.end()) return;
      process = parent->second;
    }
  }

 private:
  static constexpr int kMostAncestors = 64;  // numbers are given again, so a line may be a circle

  std::unordered_map<Pid, Pid> process_of_;
  std::unordered_map<Pid, Pid> parent_of_;  // of processes
};

}  // namespace kutrace
