// SPDX-License-Identifier: BSD-3-Clause
// Who woke whom, and what for. In: wakeups and context switches in order of time (ns); out: wait
// spans and wakeup arcs to the sink. A wait runs from the end of a thread's last execution to its
// wakeup, with a reason; from there to its next execution the thread waits for a CPU.
#pragma once

#include <array>
#include <unordered_map>

#include "format/group_times.h"
#include "model/span_sink.h"
#include "spans/execution.h"
#include "spans/thread_table.h"
#include "spans/wait_reason.h"

namespace kutrace::spans {

class Wakeups {
 public:
  // `groups` says when wakeups were recorded. All references must outlive this object.
  Wakeups(NameTable& names, ThreadTable& threads, OpenCalls& calls, SpanSink& sink,
          const GroupTimes& groups);

  // Only wakeups of threads that sleep are recorded, none of those that are awake already.
  void each_ends_wait() { each_ends_wait_ = true; }
  // On `cpu`, whose stack's top is `waker_frame`, thread `waker` makes `pid` runnable. `on_behalf`
  // is the reason by the CPU that caused it with an IPI; it counts where the frame says nothing.
  void wake(CpuId cpu, Ns now, Pid waker, const Frame& waker_frame, char on_behalf, Pid pid);
  // The same where nobody knows who does: a thread, or what interrupts it.
  void wake_by_unknown(CpuId cpu, Ns now, Pid pid);
  // Reason of a wait that a routine ends; 0 if that says nothing.
  char reason_of(const Frame& waker_frame) { return reasons_.by_waker(waker_frame.name); }
  // On `cpu`, thread `from` stops running, left as `left`, and `to` starts. 0 for `from`: nobody
  // whose wait would begin here.
  void switched(CpuId cpu, Ns now, Pid from, Left left, Pid to);
  // The thread is found running; whether it waited before, and until when, nobody knows.
  void found_running(Pid pid);
  // The stack of the thread that was just switched away; its waits have it until it runs again.
  void left_with_stack(Pid pid, NameId stack) { stacks_[pid] = stack; }
  // The thread exists since before the recording and has not run in it: it waits since `begin`.
  void waits_since(Pid pid, Ns begin);
  // The thread, which does not run, waits for something else from `now` on.
  void waits_anew(Pid pid, Ns now);
  // The recording ends, and nothing is missing from `whole_since` on. `thread`, which has not ended
  // and does not run, has waited until now if it was seen to stop since.
  void waits_at_end(Thread& thread, Ns whole_since, Ns end);

 private:
  char reason(const Thread& thread, Pid waker, const Frame& waker_frame, char on_behalf);
  char passed_on(const Thread& thread, Pid waker, NameId waker_name);
  char unexplained(const Thread& thread);
  // A wakeup of a thread that runs. It may be about to sleep: then it comes no more, and if it is
  // switched away as if it slept, it is ready at once.
  struct Early {
    Ns time = 0;
    CpuId cpu = kNoCpu;
    Pid waker = kNoPid;
  };
  bool may_wait(const Thread& thread, const Early& wakeup);
  bool was_woken_early(const Thread& thread) const;
  void woken(CpuId cpu, Ns now, Pid waker, Thread& thread, char letter);
  // `now`: where it runs, or where the recording ends.
  void wait_until_run(Pid pid, Thread& thread, Ns now);
  void wait_span(Pid pid, Thread& thread, Ns end, char letter);
  CallPlace blocked_in(const Thread& thread) const;
  NameId name_of(char letter);

  NameTable& names_;
  std::array<NameId, 'z' - 'a' + 1> wait_names_{};  // by letter
  NameId arc_name_ = kNoName;
  ThreadTable& threads_;
  OpenCalls& calls_;
  SpanSink& sink_;
  const GroupTimes& groups_;
  WaitReasons reasons_;
  std::unordered_map<Pid, Early> early_;    // not followed by another wakeup so far
  std::unordered_map<Pid, NameId> stacks_;  // of threads that do not run, where recorded
  bool each_ends_wait_ = false;
  bool wakeups_recorded_ = false;  // without them, time between executions has no known reason
};

}  // namespace kutrace::spans
