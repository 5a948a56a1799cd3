// SPDX-License-Identifier: BSD-3-Clause
// The threads that a question is about. In: their numbers, and which of those that had such a
// number are not meant; out: whether a thread is one of them.
#pragma once

#include <unordered_set>

#include "base/units.h"
#include "model/span.h"

namespace kutrace::filters {

struct ChosenThreads {
  std::unordered_set<Pid> pids;
  std::unordered_set<ThreadId> others;  // had one of these numbers before or after those meant

  // Where the trace does not tell which thread had the number, all that had it are meant.
  bool has(Pid pid, ThreadId thread) const {
    return pids.contains(pid) && (others.empty() || !others.contains(thread));
  }
};

}  // namespace kutrace::filters
