// SPDX-License-Identifier: BSD-3-Clause
// The threads that a question is about. In: their numbers and, where the trace tells threads of one
// number apart, the threads themselves; out: whether a thread is one of them.
#pragma once

#include <cstddef>
#include <unordered_set>

#include "base/units.h"
#include "model/span.h"

namespace kutrace::filters {

struct ChosenThreads {
  std::unordered_set<Pid> pids;
  std::unordered_set<ThreadId> threads;  // none: the trace does not tell them apart

  // What does not say which thread had the number means all that are chosen by it.
  bool has(Pid pid, ThreadId thread) const {
    return threads.empty() || thread == ThreadId::kNone ? pids.contains(pid)
                                                        : threads.contains(thread);
  }
  void add(Pid pid, ThreadId thread) {
    pids.insert(pid);
    if (thread != ThreadId::kNone) threads.insert(thread);
  }
  std::size_t count() const { return threads.empty() ? pids.size() : threads.size(); }
};

}  // namespace kutrace::filters
