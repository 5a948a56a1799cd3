// SPDX-License-Identifier: BSD-3-Clause
// The open span of each CPU and the rules that keep it true.
#include "spans/execution.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "kutrace/event_numbers.h"

namespace kutrace::spans {

namespace {

// Whether threads do that, and not what interrupts them.
bool is_of_thread(EventNum call) {
  return level_of(call) == Level::kSyscall || level_of(call) == Level::kTrap;
}

bool is_syscall_frame(const Frame& frame) { return frame.level == Level::kSyscall; }

}  // namespace

Frame make_frame(NameBook& names, EventNum call, std::uint64_t arg) {
  Frame frame;
  frame.call = call;
  frame.arg = arg;
  frame.name = names.call(call, arg);
  frame.level = level_of(call);
  frame.kind = kind_of(call);
  return frame;
}

Execution::Execution(NameBook& names, ThreadTable& threads, SpanSink& sink, Counters& counters,
                     std::vector<LossRecord>& losses, Ns tick)
    : names_(names),
      threads_(threads),
      sink_(sink),
      counters_(counters),
      losses_(losses),
      calls_(sink),
      tick_(tick) {
  threads_.get(0).ran_before = true;  // the idle thread is older than any recording
}

void Execution::add_cpu(CpuId cpu, Ns begin) {
  if (cpu >= by_cpu_.size()) by_cpu_.resize(cpu + 1);
  Track& track = tracks_.emplace_back();
  by_cpu_[cpu] = &track;
  track.cpu = cpu;
  track.open = track.seen = begin;
  track.pid = 0;
  track.thread = &threads_.get(0);
  track.stack.take(track.thread->bottom(), track.thread->stack);
  // Idle makes no calls that could have begun before the recording.
  track.called = true;
}

Ns Execution::clamp(const Track& track, Ns now) {
  // Time that was handed out as a span is not taken back: an event that comes too late for its
  // place takes the earliest moment that is left.
  if (now >= track.open) return now;
  // A folded call shorter than a tick is recorded with one, in which other events may follow.
  const bool within_tick = track.open == track.folded_until && track.open - now <= tick_;
  if (!within_tick) count(Counter::kTimeClamped);
  return track.open;
}

// The idle thread is no thread with a life: it runs on several CPUs at once, so its spans have no
// id.
Span Execution::span_of(const Track& track, const Frame& frame, Ns end) {
  return {
      .start = track.open,
      .duration = end - track.open,
      .arg = frame.arg,
      .result = {},
      .cpu = track.cpu,
      .pid = track.pid,
      .thread = track.pid != 0 ? track.thread->id : ThreadId::kNone,
      .event = frame.call,
      .rpc = track.rpc,
      .name = frame.name,
      .kind = frame.kind,
  };
}

Span Execution::open_span(const Track& track, Ns end) const {
  Span span = span_of(track, track.stack.top(), end);  // all returns are of this one: no copy
  // Only the bottom can be lost, asleep or hidden. What interrupts it is seen and is shown, whoever
  // runs below.
  if (may_sleep(track.stack.top())) span = hidden_span(track.cpu, track.open, end, names_.hidden());
  if (track.stack.depth() != 0) return span;
  if (track.left_since != kNever) {
    span = loss_span(track.cpu, track.open, end, KUTRACE_LOSS_UNSEEN, names_.loss());
  } else if (track.low_power) {
    span.kind = SpanKind::kIdleLowPower;
    span.arg = track.low_power_arg;
  } else if (track.hidden) {
    span = hidden_span(track.cpu, track.open, end, names_.hidden());
  }
  return span;
}

void Execution::emit(Track& track, Ns end, std::uint8_t ipc) {
  if (end > track.open) {
    Span span = open_span(track, end);
    span.ipc = ipc;
    account(track, span);
    if (track.left_since != kNever && span.kind == SpanKind::kLoss) add_loss(span);
    sink_.push(span);
  }
  track.open = end;
}

// The list of losses says the same as the spans.
void Execution::add_loss(const Span& span) {
  const Ns end = span.start + span.duration;
  if (!losses_.empty() && losses_.back().cpu == span.cpu && losses_.back().end == span.start &&
      losses_.back().reason == KUTRACE_LOSS_UNSEEN) {
    losses_.back().end = end;
    return;
  }
  losses_.push_back({span.cpu, span.start, end, KUTRACE_LOSS_UNKNOWN_COUNT, KUTRACE_LOSS_UNSEEN});
}

void Execution::emit_result(Track& track, Ns end, CallResult result, std::uint8_t ipc) {
  if (end > track.open) {
    Span span = open_span(track, end);
    span.ipc = ipc;
    span.has_result = span.kind != SpanKind::kHidden;
    if (span.has_result) span.result = result;
    account(track, span);
    sink_.push(span);
  }
  track.open = end;
}

// The span is a piece of the call on top, and of the thread's life.
void Execution::account(Track& track, Span& span) {
  if (track.stack.depth() > 0) {
    const Frame& frame = track.stack.top();
    if (!calls_.is_open(frame.place)) revive(track);
    if (may_sleep(frame)) {
      calls_.goes_on(frame.place, span.start + span.duration);
    } else {
      span.call = frame.place.id;
      span.call_slot = frame.place.slot;
      calls_.piece(frame.place, track.cpu, span.duration, span.start + span.duration);
    }
  }
  lived(track, span);
}

void Execution::lived(Track& track, const Span& span) {
  if (track.pid == 0) return;
  LifeSoFar& life = track.thread->life;
  // A damaged trace may tell of its birth later than of what it did.
  if (life.begin == kNotYet || span.start < life.begin) life.begin = span.start;
  life.end = span.start + span.duration;
  if (span.kind != SpanKind::kHidden) life.executing += span.duration;
}

// Whose a call is: what interrupts a thread is its CPU's.
OpenCalls::Owner Execution::owner(const Track& track, const Frame& frame) {
  if (frame.level >= Level::kSoftirq || track.pid == 0) return {};
  return {track.thread->id, track.pid};
}

CallPlace& Execution::kept_scheduler(Track& track) {
  return track.pid == 0 ? track.idle_scheduler : track.thread->scheduler;
}

// The thread left the scheduler unseen: nothing is known of that call after what it did last. What
// it waited since, which is told later, is not that call's.
void Execution::end_unseen(CallPlace kept) {
  calls_.end(kept, calls_.begin_of(kept), {.inferred = true});
}

// Calls of a stack that was known before, and ended since with what was lost.
void Execution::revive(Track& track) {
  for (int depth = 1; depth <= track.stack.depth(); ++depth) {
    Frame& frame = track.stack.at(depth);
    if (calls_.is_open(frame.place)) continue;
    calls_.begin(frame, track.stack.at(depth - 1), owner(track, frame), track.cpu, track.open,
                 true);
  }
}

// No kernel nests as deep as a stack has room, so the trace has lost returns where it is full.
void Execution::make_way(Track& track, Ns now) {
  if (!track.stack.full()) return;
  pop(track, now);
  count(Counter::kStackOverflow);
}

void Execution::push(Track& track, EventNum call, std::uint64_t arg, Ns now, bool inferred) {
  make_way(track, now);
  Frame frame = make_frame(names_, call, arg);
  calls_.begin(frame, track.stack.top(), owner(track, frame), track.cpu, now, inferred);
  track.stack.push(frame);
  // Only what a thread shows first can have begun before the recording: what ends without a begin
  // later is `return_without_call`.
  track.called = track.called || is_of_thread(call);
}

// Of a call that OpenCalls knows already, in which its thread was switched away.
void Execution::push_open(Track& track, const Frame& frame) {
  make_way(track, track.open);
  track.stack.push(frame);
}

void Execution::pop(Track& track, Ns now, OpenCalls::Ending ending) {
  // After a loss, a frame may name a call that is over (see OpenCalls).
  const CallPlace top = track.stack.top().place;
  if (calls_.is_open(top)) calls_.end(top, now, ending);
  track.stack.pop();
}

// They end where the open span starts: that span is none of theirs any more.
void Execution::clear(Track& track) {
  while (track.stack.depth() > 0) pop(track, track.open);
}

// Until the event that cannot have come within it, the call on top lasted: its return is not in the
// trace, so nothing ends it earlier.
void Execution::pop_missing(Track& track, Ns now, std::uint8_t ipc, Counter rule) {
  emit(track, now, ipc);
  pop(track, now);
  count(rule);
}

// An exception that is known by its signal alone, one tick long: the thread takes it on the way to
// user code, so a page fault of user code is over.
bool Execution::ends_with_signal(const Track& track, EventNum call, Ns duration) const {
  return level_of(call) == Level::kTrap && duration <= tick_ && track.stack.depth() == 1 &&
         track.stack.top().call == ev::kPageFault;
}

void Execution::make_room(Track& track, EventNum call, Ns now, std::uint8_t ipc) {
  const bool just_switched =
      track.switched != kNever && track.stack.depth() == 1 && is_scheduler(track.stack.top().call);
  if (just_switched && (is_of_thread(call) || !threads_.get(track.pid).ran_before)) {
    // A thread that never ran before leaves the scheduler without the usual return. An interrupt
    // proves that only of a new thread: it may also come while the scheduler is on its way out.
    pop(track, track.open);
    count(Counter::kMissingSchedReturn);
  }
  if (level_of(call) == Level::kSyscall) user_evidence(track.cpu);
  // From here on the time since the switch is handed out as what it was taken for. What proves user
  // code later is too late.
  track.unsure = false;
  while (track.stack.depth() > 0 && !can_nest(track.stack.top(), call)) {
    // A fault that is taken again, or that a copy of the kernel's met with faults switched off.
    const bool again = call == ev::kPageFault && track.stack.top().call == call;
    pop_missing(track, now, ipc, again ? Counter::kFaultFailed : Counter::kMissingReturn);
  }
}

void Execution::call(CpuId cpu, Ns now, EventNum call, std::uint64_t arg, Ipc ipc) {
  Track& track = this->track(cpu);
  now = clamp(track, now);
  make_room(track, call, now, ipc.before);
  emit(track, now, ipc.before);
  push(track, call, arg, now);
  // This one is seen to begin. If its return is missing, that is not because a new thread ran.
  if (is_scheduler(call)) track.switched = kNever;
}

// A call and its return in one entry: its span is made at once and never stands on the stack.
void Execution::folded_call(CpuId cpu, Ns now, Ns duration, EventNum call, std::uint64_t arg,
                            CallResult result, Ipc ipc) {
  Track& track = this->track(cpu);
  // Of several such calls within one tick, the first has it and the others end there too, so that
  // nothing after them moves.
  const Ns end = now + duration;
  now = clamp(track, now);
  if (ends_with_signal(track, call, duration)) pop_missing(track, now, ipc.before);
  make_room(track, call, now, ipc.before);
  emit(track, now, ipc.before);
  make_way(track, now);
  track.folded_until = std::max(now, end);
  const Frame frame = make_frame(names_, call, arg);
  const bool is_known = !may_sleep(frame);
  if (end > now) {
    Span span =
        is_known ? span_of(track, frame, end) : hidden_span(cpu, track.open, end, names_.hidden());
    if (is_known) {
      // Its piece goes to the sink before the call does, so the number is asked for in advance.
      span.call = calls_.next_id();
      span.result = result;
      span.has_result = true;
      span.ipc = ipc.call;
    }
    lived(track, span);
    sink_.push(span);
  }
  calls_.leaf(frame, track.stack.top(), owner(track, frame), cpu, now, track.folded_until, is_known,
              result);
  track.open = track.folded_until;
  track.called = track.called || is_of_thread(call);
}

// The depth of the newest system call, or 0.
int Execution::depth_of_syscall(const Track& track) {
  int depth = track.stack.depth();
  while (depth > 0 && !is_syscall_frame(track.stack.at(depth))) --depth;
  return depth;
}

// The depth of the system call that returns so, or 0. One that replaced its own registers
// (sigreturn) returns under number -1; one that was called under that number, or another that no
// call has, returns as if it had replaced them.
int Execution::returns_under_another_number(const Track& track, EventNum call) {
  const int depth = depth_of_syscall(track);
  if (depth == 0 || is_scheduler(call)) return depth;
  return track.stack.at(depth).call == KUTRACE_UNKNOWN_CALL ? depth : 0;
}

// The depth of the system call that started a program of the other kind, of 32 bits or of 64, and
// returns as that one's call does, or 0.
int Execution::returns_in_another_mode(const Track& track, EventNum call) {
  const int depth = depth_of_syscall(track);
  if (depth == 0 || !names_.starts_program(call)) return 0;
  return names_.starts_program(track.stack.at(depth).call) ? depth : 0;
}

// The depth of the system call by which a probe of a program's function took control and that
// returns so, or 0. It replaces its registers, too, so sources take its return for a signal's.
int Execution::returns_from_probe(const Track& track, EventNum call) {
  const int depth = depth_of_syscall(track);
  if (depth == 0 || !names_.is_probe_of_user(track.stack.at(depth).call)) return 0;
  return names_.ends_signal(call) ? depth : 0;
}

// The depth of the call that returns, or 0. Beginning with what proves most: the call itself; a
// system call whose number its own registers did not hold any more.
int Execution::depth_of_return(const Track& track, EventNum call) {
  const int depth = track.stack.find(call);
  if (depth != 0 || event_class(call) != EventClass::kSyscall) return depth;
  if (const int other = returns_in_another_mode(track, call); other != 0) return other;
  if (const int probe = returns_from_probe(track, call); probe != 0) return probe;
  const int unnamed = returns_under_another_number(track, call);
  if (unnamed > 0) count(Counter::kReturnNumberLost);
  return unnamed;
}

// Whether the thread ran in user code until the call that returns: its begin was not reported, as
// of one that seccomp refused.
bool Execution::is_unreported(const Track& track, EventNum call) const {
  return begins_recorded_ && track.called && track.stack.depth() == 0 && !track.hidden &&
         event_class(call) == EventClass::kSyscall && !is_scheduler(call);
}

void Execution::end_call(CpuId cpu, Ns now, EventNum call, std::uint32_t arg, CallResult result,
                         Ipc ipc) {
  Track& track = this->track(cpu);
  now = clamp(track, now);
  track.unsure = false;
  int depth = depth_of_return(track, call);
  // An interrupt that older kernels close as a softirq.
  if (depth == 0 && call == ev::kBottomHalf && track.stack.top().call == KUTRACE_IRQ_RESCHEDULE) {
    depth = track.stack.depth();
    count(Counter::kBhClosesReschedule);
  }
  if (depth == 0 && call == ev::kPageFault && (arg == SIGSEGV || arg == SIGBUS)) {
    return count(Counter::kSignalWithoutFault);
  }
  bool has_result = true;
  if (depth > 0) {
    // What stands above it has returned unseen. Only a page fault right above a system call has
    // not: it could not be resolved, and has no return.
    while (track.stack.depth() > depth) {
      const bool failed = level_of(call) == Level::kSyscall && track.stack.depth() == depth + 1 &&
                          track.stack.top().call == ev::kPageFault;
      pop_missing(track, now, ipc.before, failed ? Counter::kFaultFailed : Counter::kMissingReturn);
    }
  } else if (is_unreported(track, call)) {
    emit(track, now, ipc.before);
    push(track, call, 0, now, true);
    // It returns its own number if it is to be made again, or a signal is what it gets.
    has_result = result.value != syscall_number(call);
    count(Counter::kCallNotReported);
  } else {
    // Nobody saw it begin, so the open span becomes this call, from its start. What it cannot stand
    // on ended before that.
    while (track.stack.depth() > 0 && !can_nest(track.stack.top(), call)) {
      pop(track, track.open);
      count(Counter::kMissingReturn);
    }
    const bool first = !track.called && is_of_thread(call);
    push(track, call, call == ev::kBottomHalf ? arg : 0, track.open, true);
    count(first ? Counter::kBeganBeforeStart : Counter::kReturnWithoutCall);
  }
  emit_result(track, now, result, ipc.before);
  pop(track, now, {.result = result, .has_result = has_result});
  track.called = track.called || is_of_thread(call);
  if (is_scheduler(call)) track.switched = kNever;
}

// The span since the switch is still open, so all of it can become user code. A call's earlier
// pieces were handed out and stay the call's.
void Execution::user_evidence(CpuId cpu) {
  Track& track = this->track(cpu);
  if (!track.unsure) return;
  track.unsure = false;
  if (track.stack.depth() == 0) return;
  clear(track);
  count(Counter::kResumedInUser);
}

void Execution::load_thread(Track& track, Pid pid) {
  Thread& thread = threads_.get(pid);
  track.left_since = kNever;
  // All CPUs share the idle thread, which may run on many at once.
  if (pid != 0 && thread.running) leave_elsewhere(track, pid);
  track.pid = pid;
  track.thread = &thread;
  track.stack.take(thread.bottom(), thread.stack);
  track.rpc = thread.rpc;
  track.unsure = thread.switched_while_in_call;
  track.called = thread.called;
  track.low_power = false;
  track.hidden = thread.hidden || !owners_known_;
  track.answered = false;
  track.known = true;
  thread.running = true;
}

// What interrupted the thread belongs to the CPU and does not move with it. Returns what it is in.
EventNum Execution::leave(Track& track, Ns end) {
  emit(track, end, 0);
  while (track.stack.top().level >= Level::kSoftirq) pop(track, track.open);
  const EventNum top = track.stack.top().call;
  put_away(track);
  forget(track);
  return top;
}

// The thread begins to run on this CPU, so it has left the one that it was last seen on.
void Execution::leave_elsewhere(const Track& track, Pid pid) {
  for (Track& other : tracks_) {
    if (&other == &track || other.pid != pid || !other.known) continue;
    if (!owners_known_) {
      lose_sight(other);
      continue;
    }
    other.left_in = leave(other, std::max(other.open, track.open));
    other.left_since = other.open;
    count(Counter::kLeftUnseen);
  }
}

// The thread stops on this CPU; what it is in the middle of, it takes along.
void Execution::put_away(Track& track) {
  Thread& thread = *track.thread;
  thread.running = false;
  thread.ran_before = true;
  thread.called = track.called;
  // Whether it is still in the scheduler when it comes back, only the switch back to it shows: that
  // call is kept beside the stack.
  if (is_scheduler(track.stack.top().call)) {
    kept_scheduler(track) = track.stack.top().place;
    track.stack.pop();
  }
  // Every CPU would get it back: there is one idle thread in the table.
  if (track.pid == 0) return clear(track);
  track.stack.keep_in(thread.stack);
  thread.rpc = track.rpc;
  thread.switched_while_in_call = thread.stack.depth() > 0;
}

void Execution::context_switch(CpuId cpu, Ns now, Pid pid, Ipc ipc) {
  Track& track = this->track(cpu);
  now = clamp(track, now);
  if (track.known && pid == track.pid) {
    // Said again at the start of the recording; later it means that a switch away was not seen.
    if (track.switched_before) count(Counter::kSwitchToRunningThread);
    return;
  }
  // A thread does not run before it stopped on another CPU.
  const Thread& next = threads_.get(pid);
  if (pid != 0) now = std::max(now, next.life.end);
  // Interrupts are over before the kernel switches. Softirqs may be preempted in real-time kernels.
  while (track.stack.top().level > Level::kSoftirq)
    pop_missing(track, now, ipc.before, Counter::kMissingReturn);
  // The kernel switches within the scheduler, so who comes is in it if who goes was: in the call in
  // which it was switched away, or, if that is not known, in one that began unseen. Where the
  // source shows no scheduler, neither is in it, and a call kept from before was left unseen.
  const EventNum scheduler = track.left_since != kNever ? track.left_in : track.stack.top().call;
  const bool in_scheduler = is_scheduler(scheduler);
  emit(track, now, ipc.before);
  put_away(track);
  load_thread(track, pid);
  const CallPlace kept = kept_scheduler(track);
  const bool resumes = calls_.is_open(kept);
  if (in_scheduler && resumes) push_open(track, calls_.frame_of(kept));
  if (in_scheduler && !resumes) push(track, scheduler, 0, now, true);
  if (!in_scheduler && resumes) end_unseen(kept);
  end_left_out(track);
  track.switched = now;
  track.switched_before = true;
}

void Execution::hide_from(CpuId cpu, Ns now, bool hidden, Ipc ipc) {
  Track& track = this->track(cpu);
  if (track.answered && track.hidden != hidden) emit(track, clamp(track, now), ipc.before);
  hide(cpu, hidden);
}

void Execution::hide(CpuId cpu, bool hidden) {
  Track& track = this->track(cpu);
  threads_.get(track.pid).hidden = hidden;
  track.answered = true;
  if (track.hidden == hidden) return;
  track.hidden = hidden;
  // What it was in before, it may have left unseen.
  if (!is_scheduler(track.stack.top().call)) clear(track);
  track.unsure = false;
}

// What lies above such calls goes on, but they began and ended within them: it begins anew.
void Execution::end_left_out(Track& track) {
  if (left_out_.empty()) return;
  if (left_out_.has_bit(EventGroup::kSyscalls)) {  // with which marks come
    track.rpc = 0;
    if (functions_ != nullptr && track.known) functions_->end_all(track.pid, track.open);
  }
  CallStack& stack = track.stack;
  const auto is_left_out = [&](int depth) {
    return left_out_.has_bit(group_of(stack.at(depth).call));
  };
  int first = 1;
  while (first <= stack.depth() && !is_left_out(first)) ++first;
  if (first > stack.depth()) return;
  std::vector<Frame> above;
  for (int depth = first + 1; depth <= stack.depth(); ++depth)
    if (!is_left_out(depth)) above.push_back(stack.at(depth));
  while (stack.depth() >= first) pop(track, track.open);
  for (const Frame& frame : above) push(track, frame.call, frame.arg, track.open, true);
  track.unsure = false;
}

void Execution::leave_out(EventGroups groups, Ns at) {
  const auto changes = [&](EventGroup group) {
    return groups.has_bit(group) != left_out_.has_bit(group);
  };
  const bool calls = changes(EventGroup::kSyscalls) || changes(EventGroup::kFaults);
  left_out_ = groups;
  for (Track& track : tracks_) {
    emit(track, std::max(track.open, at), 0);
    end_left_out(track);
    if (groups.has_bit(EventGroup::kPower)) track.low_power = false;
    // What returns without a begin from here on may have begun while its group was off. That is
    // counted as at the start of a recording.
    if (calls) track.called = false;
  }
  for (std::size_t place = 0; calls && place < threads_.size(); ++place)
    threads_.at(place).called = false;
}

void Execution::hide_owners() {
  owners_known_ = false;
  for (Track& track : tracks_) track.hidden = true;
}

// The CPU's last event is the last that is known of its thread there.
void Execution::lose_sight(Track& track) { leave(track, std::max(track.open, track.seen)); }

void Execution::found(CpuId cpu, Ns now, Pid pid) {
  Track& track = this->track(cpu);
  now = clamp(track, now);
  track.named = true;
  const bool is_known = track.known && track.pid == pid;
  if (!is_known) lose_sight(track);
  emit(track, now, 0);
  track.hidden = false;
  if (is_known) return;
  load_thread(track, pid);
  track.hidden = false;
  LifeSoFar& life = track.thread->life;
  if (life.begin == kNotYet) life.begin = now;
  life.end = std::max(life.end, now);
}

void Execution::rename(Pid pid, NameId name) {
  // Stacks of threads that do not run have no frame at the bottom: it is made when they are loaded.
  for (Track& track : tracks_) {
    if (track.pid == pid) track.stack.bottom().name = name;
  }
}

bool Execution::runs_elsewhere(const Track& track, Pid pid) const {
  return std::ranges::any_of(tracks_,
                             [&](const Track& t) { return t.cpu != track.cpu && t.pid == pid; });
}

// The thread that had the number is still on its way out, on another CPU: it gets the other one.
void Execution::exchange_numbers(Track& track, Track& other) {
  const Ns now = std::max(other.open, track.open);
  emit(track, now, 0);
  emit(other, now, 0);
  Thread& one = *track.thread;
  Thread& two = *other.thread;
  end_segment(one, now);
  end_segment(two, now);
  // All that is known changes places, but the numbers and what was told of them stay.
  std::swap(one, two);
  std::swap(one.info, two.info);
  std::swap(one.pid, two.pid);
  std::swap(track.pid, other.pid);
  std::swap(track.thread, other.thread);
  for (Track* each : {&track, &other}) {
    each->stack.bottom() = each->thread->bottom();
    each->thread->called = each->thread->ran_before = true;
  }
  other.exchanged = true;
}

// What is known of a life until now; the rest of it follows under another number.
void Execution::end_segment(Thread& thread, Ns now) {
  LifeSoFar& life = thread.life;
  const bool has_begun = life.begin != kNotYet;
  life.end = std::max(life.end, now);
  end_life(thread);
  life = has_begun ? LifeSoFar{.begin = now, .end = now} : LifeSoFar{.end = now};
}

void Execution::renumber(CpuId cpu, Ns now, Pid from, Pid to) {
  Track& track = this->track(cpu);
  if (!track.known || (track.pid != from && track.pid != to)) return;
  if (std::exchange(track.exchanged, false)) return;
  // Two threads never have one number at a time, so this one gets it when the life before is over.
  emit(track, std::max(clamp(track, now), threads_.get(to).life.end), 0);
  for (Track& other : tracks_) {
    if (&other != &track && other.known && track.pid == from && other.pid == to) {
      return exchange_numbers(track, other);
    }
  }
  // A switch may have named it by its new number before.
  const bool is_named = track.pid == to;
  if (is_named) clear(track);
  Thread& before = threads_.get(from);
  if (is_named) track.stack.take(before.bottom(), before.stack);
  const ThreadId id = is_named ? threads_.get(to).id : before.id;
  before.stack.clear();
  before.scheduler = {};
  end_life(before);
  const LifeSoFar goes_on =
      is_named ? threads_.get(to).life : LifeSoFar{.begin = track.open, .end = track.open};
  Thread& thread = is_named ? threads_.renew(to) : renew(to);
  thread.id = id;
  thread.life = goes_on;
  track.stack.bottom() = thread.bottom();
  track.pid = to;
  track.thread = &thread;
  track.stack.keep_in(thread.stack);
  thread.running = thread.ran_before = thread.called = true;
  if (!runs_elsewhere(track, from)) threads_.renew(from);
}

void Execution::start_inside(Pid pid, EventNum call, std::uint64_t arg, Ns now) {
  Thread& thread = threads_.get(pid);
  // What the trace itself showed is known better.
  if (thread.stack.depth() != 0) return;
  Frame frame = make_frame(names_, call, arg);
  calls_.begin(frame, thread.bottom(), {thread.id, pid}, kNoCpu, now, true);
  thread.stack.push(frame);
}

void Execution::end_calls(Thread& thread) {
  const OpenCalls::Ending unseen = {.inferred = true};
  if (calls_.is_open(thread.scheduler)) calls_.end(thread.scheduler, thread.life.end, unseen);
  for (; thread.stack.depth() > 0; thread.stack.pop()) {
    if (calls_.is_open(thread.top().place)) calls_.end(thread.top().place, thread.life.end, unseen);
  }
}

void Execution::end_life(Thread& thread) {
  if (thread.life.begin == kNotYet) return;
  LifeSoFar& life = thread.life;
  life.end = std::max(life.begin, life.end);
  // First, as a life follows all spans of its thread.
  if (functions_ != nullptr) functions_->end_all(thread.pid, life.end);
  sink_.life({.thread = thread.id,
              .pid = thread.pid,
              .process = thread.info.process,
              .parent = thread.info.parent,
              .name = thread.info.name,
              .begin = life.begin,
              .end = life.end,
              .executing = life.executing,
              .waiting = life.waiting});
  life.begin = kNotYet;
}

Thread& Execution::renew(Pid pid) {
  Thread& old = threads_.get(pid);
  end_calls(old);
  end_life(old);
  return threads_.renew(pid);
}

bool Execution::has_ended(const Thread& thread) const {
  if (thread.running) return false;
  return thread.exits || (thread.stack.depth() > 0 && names_.ends_thread(thread.stack.at(1).call));
}

void Execution::running(CpuId cpu, Pid pid) {
  Track& track = this->track(cpu);
  // It ran or waited elsewhere until then, and is in one place at a time.
  if (pid != 0 && threads_.get(pid).life.end > track.open)
    emit(track, threads_.get(pid).life.end, 0);
  clear(track);
  load_thread(track, pid);
  if (const CallPlace kept = kept_scheduler(track); calls_.is_open(kept)) end_unseen(kept);
  end_left_out(track);
}

void Execution::lose(CpuId cpu, Ns begin, Ns end, unsigned reason) {
  Track& track = this->track(cpu);
  begin = std::max(begin, track.open);
  emit(track, begin, 0);
  if (end <= begin) return;
  // Where a thread ran that no tracer sees, or none, no other one began a call.
  const bool lost_begins = reason != KUTRACE_LOSS_UNSEEN && reason != KUTRACE_LOSS_OFFLINE;
  begins_recorded_ = begins_recorded_ && !lost_begins;
  track.left_since = kNever;
  sink_.push(loss_span(cpu, begin, end, reason, names_.loss()));
  clear(track);
  if (functions_ != nullptr && track.known) functions_->end_all(track.pid, begin);
  track.open = end;
  forget(track);
}

// Nobody knows who runs on the CPU, or in what.
void Execution::forget(Track& track) {
  Thread& lost = *track.thread;
  lost.running = false;
  lost.called = lost.called || track.called;
  track.known = false;
  track.pid = 0;
  track.thread = &threads_.get(0);
  track.stack.take(track.thread->bottom(), track.thread->stack);
  track.called = true;
  track.low_power = false;
  track.hidden = !owners_known_;
  track.unsure = false;
  track.switched = kNever;
}

void Execution::enter_low_power(CpuId cpu, Ns now, std::uint32_t arg, Ipc ipc) {
  Track& track = this->track(cpu);
  now = clamp(track, now);
  emit(track, now, ipc.before);
  track.low_power = true;
  track.low_power_arg = arg;
}

void Execution::leave_low_power(CpuId cpu, Ns now, Ns latency, Ipc ipc) {
  Track& track = this->track(cpu);
  now = clamp(track, now);
  latency = std::min(latency, now - track.open);
  // The sleep and the way out of it share the open span, of which the latter is the end.
  emit(track, now - latency, ipc.before);
  track.low_power = false;
  if (latency == 0) return;
  Span span = open_span(track, now);
  span.event = ev::kC_EXIT;
  span.name = names_.c_exit();
  span.kind = SpanKind::kCExit;
  span.arg = track.low_power_arg;
  sink_.push(span);
  track.open = now;
}

void Execution::set_rpc(CpuId cpu, Ns now, std::uint32_t rpc, Ipc ipc) {
  Track& track = this->track(cpu);
  // A span has one RPC, so it is cut where that changes.
  emit(track, clamp(track, now), ipc.before);
  track.rpc = rpc;
}

void Execution::finish(Ns end) {
  for (Track& track : tracks_) {
    if (track.named) lose_sight(track);
    emit(track, std::max(end, track.open), 0);
    track.left_since = kNever;
    clear(track);
  }
  calls_.end_all([&](Pid pid) { return pid == 0 ? end : end_of_life(threads_.get(pid), end); });
  for (std::size_t place = 0; place < threads_.size(); ++place) {
    Thread& thread = threads_.at(place);
    if (thread.pid == 0) continue;
    thread.life.end = std::max(thread.life.end, end_of_life(thread, end));
    end_life(thread);
  }
}

}  // namespace kutrace::spans
