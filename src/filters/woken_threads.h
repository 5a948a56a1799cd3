// SPDX-License-Identifier: BSD-3-Clause
// Which thread a wakeup woke. In: all spans; out: of a wakeup, which names the thread by its number
// alone, the thread that has that number then: its wait, or what it did last, came right before.
#pragma once

#include <optional>
#include <unordered_map>

#include "filters/chosen_threads.h"
#include "model/span.h"

namespace kutrace::filters {

class WokenThreads {
 public:
  // Of these threads; of nobody: nothing is followed.
  void follow(const std::optional<ChosenThreads>& chosen, const Span& span) {
    const bool is_told = span.thread != ThreadId::kNone && !is_arc(span.kind);
    if (!is_told || !chosen || chosen->threads.empty() || !chosen->pids.contains(span.pid)) return;
    last_[span.pid] = span.thread;
  }
  // kNone: nothing of it came so far.
  ThreadId of(const Span& wakeup) const {
    const auto found = last_.find(wakeup.other);
    return found == last_.end() ? ThreadId::kNone : found->second;
  }

 private:
  std::unordered_map<Pid, ThreadId> last_;
};

}  // namespace kutrace::filters
