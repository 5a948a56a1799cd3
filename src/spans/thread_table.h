// SPDX-License-Identifier: BSD-3-Clause
// What is known of each thread while a trace is replayed.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "base/by_number.h"
#include "base/chunked.h"
#include "base/units.h"
#include "format/event_table.h"
#include "model/call.h"
#include "model/names.h"
#include "model/trace_info.h"
#include "spans/call_stack.h"

namespace kutrace::spans {

constexpr Ns kNever = -1;
// Before any time that a damaged trace may name.
constexpr Ns kNotYet = std::numeric_limits<Ns>::min();

// How a thread was when it was last switched away from.
enum class Left : std::uint8_t { kUnknown, kRunnable, kBlocked };

// The life of a thread so far, see ThreadLife.
struct LifeSoFar {
  Ns begin = kNotYet;
  Ns end = kNotYet;  // where it has not begun: of the thread that had the number before
  Ns executing = 0;
  Ns waiting = 0;
};

struct Thread {
  Pid pid = kNoPid;
  ThreadId id = ThreadId::kNone;
  Ns stopped = kNever;  // end of its last execution
  // The latest wakeup since then.
  Ns woken = kNever;
  CpuId waker_cpu = kNoCpu;
  Pid waker = kNoPid;
  LifeSoFar life;
  CallPlace scheduler;  // the scheduler call in which it was switched away, if that is open
  [[no_unique_address]] KeptStack stack;  // what it is in the middle of
  bool switched_while_in_call = false;    // it may have left that call unseen, see execution.h
  bool ran_before = false;                // it was switched away from at least once
  bool called = false;  // a call or fault of it, or the end of one, was seen; or it began later
  bool running = false;
  bool hidden : 1 = false;  // what it does is not in the trace, see Execution::hide
  bool exits : 1 = false;   // it was seen to end: it runs at most until it is switched away
  Left left = Left::kUnknown;
  char waited_for = '\0';  // letter of the wait that a wakeup ended before it ran last; 0: of none
  ThreadInfo info;
  std::uint32_t rpc = 0;
  // Its name until it got the present one, and when that was.
  NameId name_before = kNoName;
  Ns renamed = kNever;

  // The bottom of its stack: the thread itself.
  Frame bottom() const {
    const SpanKind kind = pid == 0             ? SpanKind::kIdle
                          : info.kernel_thread ? SpanKind::kKernelThread
                                               : SpanKind::kUser;
    return {{}, 0, ev::kUSER, info.name, Level::kUser, kind};
  }
  Frame top() const { return stack.depth() == 0 ? bottom() : stack.at(stack.depth()); }
};
// A trace may tell of many thousands.
static_assert(sizeof(Thread) <= 144);

class ThreadTable {
 public:
  explicit ThreadTable(NameId idle_name);

  Thread& get(Pid pid) {
    Thread* const known = known_at(pid);
    return known != nullptr ? *known : add(pid);
  }
  // Null: none that is known.
  const Thread* find(Pid pid) const { return known_at(pid); }
  // A new thread has this number: forgets all that was known of the old one.
  Thread& renew(Pid pid);
  void set_name(Pid pid, NameId name);
  // What was told of each thread, by number.
  std::vector<std::pair<Pid, const ThreadInfo*>> known() const;
  std::size_t size() const { return threads_.size(); }
  // The threads in the order of their first appearance; `place` is below size().
  Thread& at(std::size_t place) { return threads_[place]; }

 private:
  Thread* known_at(Pid pid) const {
    Thread* const* const known = by_number_.find(pid);
    return known != nullptr ? *known : nullptr;
  }
  Thread& add(Pid pid);

  Chunked<Thread> threads_;
  ByNumber<Thread*> by_number_;
  NameId idle_name_;
  std::uint32_t last_id_ = 0;
};

}  // namespace kutrace::spans
