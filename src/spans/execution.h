// SPDX-License-Identifier: BSD-3-Clause
// The timeline of each CPU. In: calls, returns, context switches and losses, each CPU's in order of
// time; out: execution spans that tile the recorded time without gap or overlap, whatever comes in.
//
// Each CPU has one open span, which belongs to the frame on top of its stack. Every change closes
// it at the time of the change (never before the span's start) and opens the next one there. Where
// the events contradict the stack, a named rule repairs it and is counted (doc/spans.md):
//   missing_return        a return was not seen: its frame ends where the next event proves it
//   fault_failed          the same for a page fault before another one, or before its system call's
//                         return: it failed, or is taken again
//   signal_without_fault  a signal that ends page faults came, and none was open
//   return_without_call   a call was not seen: the open span becomes that call
//   began_before_start    the same for the first that a thread shows: it was in that call already
//   call_not_reported     a system call's begin was not reported where all are: it has no duration
//   return_number_lost    a system call's return has no usable number: the one on the stack ends
//   missing_sched_return  a new thread ran: the scheduler ended at the context switch
//   resumed_in_user       after a switch, user code ran although the thread had been in a call
//   bh_closes_reschedule  a softirq's return ends a reschedule interrupt
//   switch_to_running_thread  a switch to the thread that runs: the switch away was not seen
//   left_unseen           a thread runs on a CPU and was last seen on another, which it has left
//   stack_overflow        deeper nesting than any kernel has: the innermost frame is dropped
//   time_clamped          an event older than the open span: moved to the span's start
//
// Times are nanoseconds after time 0. Events that come late are clamped, never refused; nothing
// here fails but on a broken promise (base/check.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "format/event_groups.h"
#include "model/span_sink.h"
#include "spans/call_stack.h"
#include "spans/functions.h"
#include "spans/name_book.h"
#include "spans/open_calls.h"
#include "spans/thread_table.h"

namespace kutrace::spans {

// Values of the trailer for the span that ends at an event and for a folded call.
struct Ipc {
  std::uint8_t before = 0;
  std::uint8_t call = 0;
};

// A frame for call event `call`, with the name that the trace gives it. It is in no stack yet.
Frame make_frame(NameBook& names, EventNum call, std::uint64_t arg);

class Execution {
 public:
  // Spans, calls and lives go to `sink`, repairs are counted in `counters`, and time that turns out
  // to be lost is added to `losses`. `tick`: length of a tick of the trace's clock in ns, rounded
  // up. All references must outlive this object.
  Execution(NameBook& names, ThreadTable& threads, SpanSink& sink, Counters& counters,
            std::vector<LossRecord>& losses, Ns tick);

  // The CPU's first span starts at `begin`; idle is assumed until a fact says who runs.
  void add_cpu(CpuId cpu, Ns begin);

  // Thread `pid` runs on the CPU, as a block header says, since the open span's start.
  void running(CpuId cpu, Pid pid);
  // An event of the CPU's own at `time`, of whatever kind: what was known of it held until then.
  void saw(CpuId cpu, Ns time) {
    Ns& seen = track(cpu).seen;
    seen = std::max(seen, time);
  }
  // End of the CPU's last event; the begin of the recording if it has none.
  Ns last_seen(CpuId cpu) const { return track(cpu).seen; }
  // Whether the running thread is known; it is not at the start and after a loss.
  bool known(CpuId cpu) const { return track(cpu).known; }

  // A call, an interrupt or the scheduler begins; a call returns `duration` ns after it began, both
  // told by one entry; a call returns.
  void call(CpuId cpu, Ns now, EventNum call, std::uint64_t arg, Ipc ipc);
  void folded_call(CpuId cpu, Ns now, Ns duration, EventNum call, std::uint64_t arg,
                   CallResult result, Ipc ipc);
  // `arg`: the low bits of the result; of a softirq, which one.
  void end_call(CpuId cpu, Ns now, EventNum call, std::uint32_t arg, CallResult result, Ipc ipc);
  // From `now` on, thread `pid` runs on the CPU. The one that ran before keeps its stack.
  void context_switch(CpuId cpu, Ns now, Pid pid, Ipc ipc);
  // Whether a filter left out what the running thread does since the open span's start. If so, its
  // own time is hidden; what interrupts it is not.
  void hide(CpuId cpu, bool hidden);
  // The same from `now` on, unless it is the first that is told of the thread since it runs here.
  void hide_from(CpuId cpu, Ns now, bool hidden, Ipc ipc);
  // From `at` on, none of these groups is recorded; groups that are absent are recorded again.
  // Threads may begin or end calls unseen meanwhile: calls of these groups end at `at`, or
  // where their thread runs next, and a return that comes later belongs to a call that nobody saw
  // begin.
  void leave_out(EventGroups groups, Ns at);
  // Switches were not recorded: all threads' own time is hidden, as nobody knows whose it is, but
  // between events that name the same thread (found). So is the time of their calls, in which they
  // may have slept.
  void hide_owners();
  // The source records each begin of a system call that the kernel reports, unless entries are
  // lost.
  void begins_are_recorded() { begins_recorded_ = true; }
  // Without switches: an event at `now` names thread `pid` as the one that runs. The time since the
  // last event on the CPU is nobody's. Each thread keeps the calls that it is in.
  void found(CpuId cpu, Ns now, Pid pid);
  // Whether events of the CPU name their threads.
  bool names_threads(CpuId cpu) const { return track(cpu).named; }
  // A thread that was seen to end, or was last switched away from in a call which never returns.
  bool has_ended(const Thread& thread) const;
  // The CPU's time from `begin` (or the open span's start) to `end` is not known.
  void lose(CpuId cpu, Ns begin, Ns end, unsigned reason);
  // An event that only user code causes: resolves where a thread resumed.
  void user_evidence(CpuId cpu);
  // The idle CPU enters low power (`arg` as in the mwait entry); the exit from it took the last
  // `latency` ns of the open span.
  void enter_low_power(CpuId cpu, Ns now, std::uint32_t arg, Ipc ipc);
  void leave_low_power(CpuId cpu, Ns now, Ns latency, Ipc ipc);
  // Spans of the thread have this name from now on.
  void rename(Pid pid, NameId name);
  // The thread was already in this call at `now`. Ignored if the trace has shown it in another one.
  void start_inside(Pid pid, EventNum call, std::uint64_t arg, Ns now);
  // The thread, which does not run, has left all its calls unseen.
  void end_calls(Thread& thread);
  // A new thread has this number: the life of the old one is over.
  Thread& renew(Pid pid);
  // The thread that runs on the CPU has another number from now on.
  void renumber(CpuId cpu, Ns now, Pid from, Pid to);
  // Ends everything at `end`: open spans, calls, then lives. Nothing may be called after it.
  void finish(Ns end);

  // Functions of programs end with their threads, and where these are lost.
  void follow(Functions& functions) { functions_ = &functions; }

  OpenCalls& calls() { return calls_; }
  const OpenCalls& calls() const { return calls_; }
  Pid pid(CpuId cpu) const { return track(cpu).pid; }
  const CallStack& stack(CpuId cpu) const { return track(cpu).stack; }
  const Frame& top(CpuId cpu) const { return stack(cpu).top(); }
  // Start of the open span.
  Ns open_since(CpuId cpu) const { return track(cpu).open; }
  std::uint32_t low_power_arg(CpuId cpu) const { return track(cpu).low_power_arg; }
  bool in_low_power(CpuId cpu) const { return track(cpu).low_power; }
  // Number of the RPC that the CPU's thread works on; 0: none.
  std::uint32_t rpc(CpuId cpu) const { return track(cpu).rpc; }
  // From `now` on, the CPU's thread works on this one.
  void set_rpc(CpuId cpu, Ns now, std::uint32_t rpc, Ipc ipc);
  bool has_cpu(CpuId cpu) const { return cpu < by_cpu_.size() && by_cpu_[cpu] != nullptr; }

 private:
  struct Track {
    CpuId cpu = 0;
    Ns open = 0;  // start of the open span
    Ns seen = 0;  // end of its last event
    CallStack stack;
    Pid pid = kNoPid;
    Thread* thread = nullptr;  // of that number
    CallPlace idle_scheduler;  // of the idle thread, as Thread::scheduler
    std::uint32_t rpc = 0;
    bool low_power = false;
    bool unsure = false;     // just resumed a thread that may have left its call unseen
    bool exchanged = false;  // its thread has its new number already
    Ns left_since = kNever;  // its thread runs elsewhere; who runs here is not known
    EventNum left_in = 0;    // what it was in then
    Ns switched = kNever;    // last context switch, if no scheduler event came since
    bool hidden = false;
    bool answered = false;  // whether the thread is hidden was told since it runs here
    bool known = false;     // the running thread is known
    bool named = false;     // was found by an event, see found
    bool called = true;     // see Thread
    bool switched_before = false;
    std::uint32_t low_power_arg = 0;
    Ns folded_until = kNever;  // end of the last folded call
  };

  Track& track(CpuId cpu) { return *by_cpu_[cpu]; }
  const Track& track(CpuId cpu) const { return *by_cpu_[cpu]; }

  Ns clamp(const Track& track, Ns now);
  void emit(Track& track, Ns end, std::uint8_t ipc);
  void emit_result(Track& track, Ns end, CallResult result, std::uint8_t ipc);
  static Span span_of(const Track& track, const Frame& frame, Ns end);
  // Whether the time in such a frame is nobody's: its thread may have slept in it.
  bool may_sleep(const Frame& frame) const {
    return !owners_known_ && frame.level > Level::kUser && frame.level < Level::kSoftirq;
  }
  Span open_span(const Track& track, Ns end) const;
  void make_room(Track& track, EventNum call, Ns now, std::uint8_t ipc);
  void pop_missing(Track& track, Ns now, std::uint8_t ipc, Counter rule = Counter::kMissingReturn);
  bool ends_with_signal(const Track& track, EventNum call, Ns duration) const;
  bool runs_elsewhere(const Track& track, Pid pid) const;
  EventNum leave(Track& track, Ns end);
  void leave_elsewhere(const Track& track, Pid pid);
  void lose_sight(Track& track);
  void add_loss(const Span& span);
  void put_away(Track& track);
  void forget(Track& track);
  void account(Track& track, Span& span);
  static void lived(Track& track, const Span& span);
  void push(Track& track, EventNum call, std::uint64_t arg, Ns now, bool inferred = false);
  void push_open(Track& track, const Frame& frame);
  void make_way(Track& track, Ns now);
  void end_left_out(Track& track);
  // The call on top is over, unseen unless told otherwise.
  void pop(Track& track, Ns now, OpenCalls::Ending ending = {.inferred = true});
  void clear(Track& track);
  void revive(Track& track);
  static OpenCalls::Owner owner(const Track& track, const Frame& frame);
  static CallPlace& kept_scheduler(Track& track);
  void end_unseen(CallPlace kept);
  void exchange_numbers(Track& track, Track& other);
  void end_segment(Thread& thread, Ns now);
  void end_life(Thread& thread);
  Ns end_of_life(const Thread& thread, Ns end) const {
    return has_ended(thread) ? thread.life.end : end;
  }
  static int depth_of_syscall(const Track& track);
  static int returns_under_another_number(const Track& track, EventNum call);
  int returns_in_another_mode(const Track& track, EventNum call);
  int returns_from_probe(const Track& track, EventNum call);
  int depth_of_return(const Track& track, EventNum call);
  bool is_unreported(const Track& track, EventNum call) const;
  void load_thread(Track& track, Pid pid);
  void count(Counter rule) { counters_.add(rule); }

  NameBook& names_;
  ThreadTable& threads_;
  SpanSink& sink_;
  Counters& counters_;
  std::vector<LossRecord>& losses_;
  OpenCalls calls_;
  Functions* functions_ = nullptr;
  Ns tick_;                     // of the clock, rounded up
  std::vector<Track*> by_cpu_;  // null for none
  std::deque<Track> tracks_;    // they stay where they are
  bool owners_known_ = true;
  bool begins_recorded_ = false;  // of system calls, all so far
  EventGroups left_out_;
};

}  // namespace kutrace::spans
