// SPDX-License-Identifier: BSD-3-Clause
// Wait spans and wakeup arcs.
#include "spans/wakeups.h"

#include <algorithm>

#include "format/event_table.h"

namespace kutrace::spans {

namespace {

// Letters of reasons (WAIT table) that are given without a look at who woke whom.
constexpr char kCpu = 'c';
constexpr char kDisk = 'd';
constexpr char kNet = 'n';
constexpr char kPipe = 'p';
constexpr char kTask = 'k';
constexpr char kUnknown = 'z';

// From the decision to sleep to the switch. Interrupts may come between them.
constexpr Ns kLongestWayToSleep = 1'000'000;

}  // namespace

Wakeups::Wakeups(NameTable& names, ThreadTable& threads, OpenCalls& calls, SpanSink& sink,
                 const GroupTimes& groups)
    : names_(names),
      threads_(threads),
      calls_(calls),
      sink_(sink),
      groups_(groups),
      reasons_(names) {}

// The innermost call that the thread was switched away in; none: in none that is known.
CallPlace Wakeups::blocked_in(const Thread& thread) const {
  if (calls_.is_open(thread.scheduler)) return thread.scheduler;
  const CallPlace top = thread.top().place;
  return calls_.is_open(top) ? top : CallPlace();
}

NameId Wakeups::name_of(char letter) {
  NameId& name = wait_names_[static_cast<std::size_t>(letter - 'a')];
  if (name == kNoName) name = names_.intern(wait_name(letter));
  return name;
}

// From where it stopped, or where the wait before this one ended.
void Wakeups::wait_span(Pid pid, Thread& thread, Ns end, char letter) {
  const Ns begin = std::max(thread.stopped, thread.life.end);
  if (end <= begin) return;
  // A wait is life, too. A thread that was known from the start may wait long before it first runs.
  const bool is_first = thread.life.begin == kNotYet;
  thread.life.begin = is_first ? begin : std::min(thread.life.begin, begin);
  thread.life.end = end;
  thread.life.waiting += end - begin;
  Span span;
  span.start = begin;
  span.duration = end - begin;
  span.pid = pid;
  span.thread = thread.id;
  span.event = ev::kWAIT_FIRST + static_cast<EventNum>(letter - 'a');
  span.name = name_of(letter);
  span.kind = SpanKind::kWait;
  // Most traces have no stacks: no look-up for each wait.
  if (!stacks_.empty()) {
    const auto stack = stacks_.find(pid);
    if (stack != stacks_.end()) span.stack = stack->second;
  }
  const CallPlace call = blocked_in(thread);
  // A wait that began before the call (which was inferred later) is none of its time: what lies in
  // a call must add up to no more than its duration.
  if (call.id != CallId::kNone && begin >= calls_.begin_of(call)) {
    span.call = call.id;
    span.call_slot = call.slot;
    calls_.wait(call, letter, span.duration, end);
  }
  sink_.push(span);
}

void Wakeups::waits_since(Pid pid, Ns begin) {
  Thread& thread = threads_.get(pid);
  if (!thread.running && thread.stopped == kNever) thread.stopped = begin;
}

void Wakeups::waits_anew(Pid pid, Ns now) {
  Thread& thread = threads_.get(pid);
  if (thread.stopped != kNever) wait_span(pid, thread, now, kUnknown);
  thread.stopped = now;
  thread.woken = kNever;
  thread.left = Left::kBlocked;
}

void Wakeups::found_running(Pid pid) {
  if (pid == 0) return;
  Thread& thread = threads_.get(pid);
  thread.woken = kNever;
  thread.stopped = kNever;
  thread.waited_for = '\0';
}

// Of a wait that a thread of the kernel ended. None of these reads a pipe: it passes on what it was
// woken for itself, which is the end of a write, a packet, or what a program wrote to a terminal.
char Wakeups::passed_on(const Thread& thread, Pid waker, NameId waker_name) {
  if (const char letter = reasons_.by_kernel_thread(waker_name); letter != 0) return letter;
  const Thread* const worker = threads_.find(waker);
  const char letter = worker != nullptr ? worker->waited_for : '\0';
  // What one worker hands another is work.
  if (!thread.info.kernel_thread && (letter == kDisk || letter == kNet)) return letter;
  const char waits_for = reasons_.by_waiter(thread.top().name);
  // Work that the waiting thread handed on itself is no message to it.
  const bool is_from_other = letter == kTask && worker->waker != thread.pid;
  if (waits_for == kPipe && !is_from_other) return kUnknown;
  return waits_for != 0 ? waits_for : kUnknown;
}

// Of a wait that a wakeup ended.
char Wakeups::reason(const Thread& thread, Pid waker, const Frame& waker_frame, char on_behalf) {
  // A worker of the kernel waits for work, whatever the call or fault is in which somebody hands it
  // some.
  const bool is_called = waker_frame.level == Level::kSyscall || waker_frame.level == Level::kTrap;
  if (thread.info.kernel_thread && is_called) return kTask;
  const bool is_worker =
      waker_frame.kind == SpanKind::kKernelThread ||
      (waker_frame.kind == SpanKind::kUser && reasons_.is_worker(waker_frame.name));
  if (is_worker) return passed_on(thread, waker, waker_frame.name);
  char letter = reason_of(waker_frame);
  if (letter == 0) letter = on_behalf;
  if (letter != 0 && letter != kPipe) return letter;
  const Frame& waits_in = thread.top();
  // One writes to pipes, sockets and files of any sort, and what a thread is in that has waited
  // since before the recording is not known.
  const bool may_be_pipe =
      !thread.called ||
      (waits_in.level == Level::kSyscall && reasons_.may_be_pipe(waker_frame.name, waits_in.name));
  if (letter == kPipe && may_be_pipe) return kPipe;
  const char waits_for = reasons_.by_waiter(waits_in.name);
  if (waits_for != 0 && (letter == 0 || waits_for != kPipe)) return waits_for;
  const char by_any = letter == 0 ? reasons_.by_any_waker(waker_frame.name) : '\0';
  return by_any != 0 ? by_any : kUnknown;
}

void Wakeups::wake(CpuId cpu, Ns now, Pid waker, const Frame& waker_frame, char on_behalf,
                   Pid pid) {
  // Also if it wakes nobody that waits: that they are recorded is what makes their absence tell.
  wakeups_recorded_ = true;
  Thread& thread = threads_.get(pid);
  if (!may_wait(thread, {now, cpu, waker})) return;
  woken(cpu, now, waker, thread, reason(thread, waker, waker_frame, on_behalf));
}

void Wakeups::wake_by_unknown(CpuId cpu, Ns now, Pid pid) {
  wakeups_recorded_ = true;
  Thread& thread = threads_.get(pid);
  if (!may_wait(thread, {now, cpu, kNoPid})) return;
  const char letter = reasons_.by_waiter(thread.top().name);
  woken(cpu, now, kNoPid, thread, letter != 0 ? letter : kUnknown);
}

// Idle waits for nothing, and what runs does not wait yet.
bool Wakeups::may_wait(const Thread& thread, const Early& wakeup) {
  if (thread.running && thread.pid != 0) early_[thread.pid] = wakeup;
  return !thread.running && thread.pid != 0;
}

// One that was woken long before, or in another call, went on to sleep again, and what woke it then
// is not in the trace.
bool Wakeups::was_woken_early(const Thread& thread) const {
  if (thread.woken != kNever || thread.left != Left::kBlocked) return false;
  const auto found = early_.find(thread.pid);
  if (found == early_.end() || found->second.time + kLongestWayToSleep < thread.stopped)
    return false;
  const CallPlace call = blocked_in(thread);
  return call.id == CallId::kNone || calls_.begin_of(call) <= found->second.time;
}

void Wakeups::woken(CpuId cpu, Ns now, Pid waker, Thread& thread, char letter) {
  if (!early_.empty()) early_.erase(thread.pid);
  // Of several wakeups the first ends the wait, the last starts the arc: the later ones found the
  // thread awake, unless only those that end a wait are recorded. Then it ran and stopped in
  // between, unseen, and what it did since the first one is not known. A thread that was preempted
  // waits for a CPU from there on, so no wakeup ends that.
  if (thread.woken != kNever && each_ends_wait_) {
    thread.stopped = now;
    thread.waited_for = letter;
  } else if (thread.woken == kNever && thread.left != Left::kRunnable) {
    if (thread.stopped != kNever) wait_span(thread.pid, thread, now, letter);
    thread.stopped = now;
    thread.waited_for = letter;
  }
  thread.woken = now;
  thread.waker_cpu = cpu;
  thread.waker = waker;
}

// Reason of a wait that no wakeup ended: preempted, or the wakeup was not seen.
char Wakeups::unexplained(const Thread& thread) {
  if (thread.left == Left::kRunnable) return kCpu;
  // KUtrace's switches do not say how a thread was left. Where wakeups are recorded, a blocked
  // thread would have had one; where they are not, nothing tells the two apart.
  if (thread.left == Left::kUnknown) return wakeups_recorded_ ? kCpu : kUnknown;
  const char letter = reasons_.by_waiter(thread.top().name);
  return letter != 0 ? letter : kUnknown;
}

// Of one that exists since before the recording and was not seen, only a call tells that it waits.
void Wakeups::waits_at_end(Thread& thread, Ns whole_since, Ns end) {
  const bool is_told =
      thread.left != Left::kUnknown || thread.woken != kNever || thread.stack.depth() > 0;
  if (thread.stopped == kNever || thread.stopped < whole_since || !is_told) return;
  if (!groups_.was_on(EventGroup::kProcesses, thread.stopped, end)) return;
  // Whether that wakeup was of this wait, only what comes later would tell.
  if (was_woken_early(thread)) return;
  if (thread.left == Left::kUnknown && thread.woken == kNever) thread.left = Left::kBlocked;
  wait_until_run(thread.pid, thread, end);
}

// The rest of a wait that goes on until the thread runs. From where wakeups were not recorded any
// more, one that ended it may be missing: it was blocked until then, and nobody knows what since.
void Wakeups::wait_until_run(Pid pid, Thread& thread, Ns now) {
  if (thread.woken != kNever) return wait_span(pid, thread, now, kCpu);
  const auto unknown = groups_.first_off(EventGroup::kWakeups, thread.stopped, now);
  if (!unknown || thread.left != Left::kBlocked)
    return wait_span(pid, thread, now, unexplained(thread));
  if (*unknown > thread.stopped) wait_span(pid, thread, *unknown, unexplained(thread));
  wait_span(pid, thread, now, kUnknown);
}

void Wakeups::switched(CpuId cpu, Ns now, Pid from, Left left, Pid to) {
  // Who runs was said once more: neither stops.
  if (from == to) return;
  if (from != 0) {
    Thread& old = threads_.get(from);
    old.stopped = now;
    old.left = left;
    old.woken = kNever;
    // Who was preempted goes on with what it was woken for.
    if (left != Left::kRunnable) old.waited_for = '\0';
    if (left != Left::kBlocked && !early_.empty()) early_.erase(from);
    // The stack of the last time; that of this switch comes after it (left_with_stack).
    if (!stacks_.empty()) stacks_.erase(from);
  }
  if (to == 0) return;
  Thread& thread = threads_.get(to);
  if (thread.stopped != kNever && was_woken_early(thread) &&
      groups_.was_on(EventGroup::kWakeups, thread.stopped, now)) {
    // Nobody else woke it, and who sleeps does not run again by himself.
    const Early& early = early_.at(to);
    thread.woken = early.time;
    thread.waker_cpu = early.cpu;
    thread.waker = early.waker;
  }
  if (!early_.empty()) early_.erase(to);
  if (thread.stopped != kNever) wait_until_run(to, thread, now);
  // The arc ends where the thread runs, so it is known only now.
  if (thread.woken != kNever && thread.waker != kNoPid) {
    Span arc;
    arc.start = thread.woken;
    // A switch that was found late is dated back, perhaps behind the wakeup
    // (SpanBuilder::unseen_switch).
    arc.duration = std::max<Ns>(0, now - thread.woken);
    arc.cpu = thread.waker_cpu;
    arc.pid = thread.waker;
    arc.other = to;
    arc.arg = cpu;
    arc.event = ev::kRUNNABLE;
    if (arc_name_ == kNoName) arc_name_ = names_.intern("-wakeup-");
    arc.name = arc_name_;
    arc.kind = SpanKind::kWakeupArc;
    sink_.push(arc);
  }
  thread.woken = kNever;
  thread.stopped = kNever;
}

}  // namespace kutrace::spans
