// SPDX-License-Identifier: BSD-3-Clause
// Nesting.
#include "spans/call_stack.h"

namespace kutrace::spans {

bool can_nest(const Frame& top, EventNum call) {
  switch (level_of(call)) {
    case Level::kUser:
      return false;
    case Level::kSyscall:
      return top.level == Level::kUser;
    case Level::kTrap:
      return top.call != call;
    case Level::kScheduler:
      return top.level < Level::kScheduler;
    case Level::kSoftirq:
      return top.level < Level::kSoftirq;
    case Level::kIrq:
      return top.level < Level::kIrq;
    case Level::kNmi:
      return top.call != call;
  }
  return false;
}

int CallStack::find(EventNum call) const {
  for (int depth = depth_; depth > 0; --depth) {
    if (at(depth).call == call) return depth;
  }
  return 0;
}

}  // namespace kutrace::spans
