// SPDX-License-Identifier: BSD-3-Clause
// Whether a page can tell which call was made in which: it does not write that, for the times tell
// it (read/page/call_nest.h) as long as what a thread does, interrupts included, lies inside or
// beside one another. Contradictory traces may have calls that do not. In: spans and calls with
// their ids; out: whether they all do, and on whose stack each call stood.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "format/page_format.h"
#include "model/call.h"

namespace kutrace::emit {

class NestWatch {
 public:
  // An execution or wait of a thread, which has that row.
  void add(const Span& span, ThreadIndex row);
  // After all of it. The row of the thread on whose stack it stood; kIdleThread: an idle CPU's.
  ThreadIndex add(const Call& call, ThreadIndex row);
  bool tells() const { return tells_; }

 private:
  static constexpr Ns kNever = std::numeric_limits<Ns>::min();

  // A thread's, or a CPU's while it idles.
  struct Owner {
    ThreadId thread = ThreadId::kNone;
    CpuId cpu = kNoCpu;
    bool operator==(const Owner&) const = default;
  };
  struct Open {
    CallId id = CallId::kNone;
    Ns last = kNever;  // until then it did something, or what it called
  };
  // Most have one open call or none: no memory of its own is looked at for these.
  struct Stack {
    Open top;                 // the innermost; kNone: none is open
    Ns last = kNever;         // of what lay in no call
    std::vector<Open> outer;  // outermost first
    ThreadIndex row = kIdleThread;

    CallId innermost() const { return top.id; }
    Ns last_done() const { return top.id == CallId::kNone ? last : top.last; }
    // A call that did nothing itself before.
    void enter(CallId call) {
      if (call <= top.id) return;
      if (top.id != CallId::kNone) outer.push_back(top);
      top = {call, kNever};
    }
    void leave() {
      top = outer.empty() ? Open() : outer.back();
      if (!outer.empty()) outer.pop_back();
    }
    void reach(Ns time) {
      Ns& reached = top.id == CallId::kNone ? last : top.last;
      reached = std::max(reached, time);
    }
  };

  Stack& stack(Owner owner);
  Owner& owner_of(std::uint32_t slot);
  void expect(bool holds) { tells_ = tells_ && holds; }
  void close(Stack& stack, const Call& call);

  std::vector<Stack> of_threads_;
  std::vector<Stack> of_cpus_;
  std::vector<Owner> of_slots_;  // of open calls
  bool tells_ = true;
};

}  // namespace kutrace::emit
