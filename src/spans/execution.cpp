// SPDX-License-Identifier: BSD-3-Clause
// The open span of each CPU and the rules that keep it true.
#include "spans/execution.h"

#include <signal.h>

#include <algorithm>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "kutrace/event_numbers.h"

namespace kutrace {

namespace {

bool is_user_caused(EventNum call) {
  return level_of(call) == Level::kSyscall || level_of(call) == Level::kTrap;
}

bool is_syscall_frame(const Frame& frame) { return frame.level == Level::kSyscall; }

}  // namespace

Frame make_frame(NameBook& names, EventNum call, std::uint32_t arg) {
  Frame frame;
  frame.call = call;
  frame.arg = arg;
  frame.name = names.call(call, arg);
  frame.level = level_of(call);
  frame.kind = kind_of(call);
  return frame;
}

Execution::Execution(NameBook& names, ThreadTable& threads, SpanSink& sink,
                     std::map<std::string, std::uint64_t>& repairs, Ns tick)
    : names_(names), threads_(threads), sink_(sink), repairs_(repairs), tick_(tick) {
  threads_.get(0).ran_before = true;  // the idle thread is older than any recording
}

void Execution::add_cpu(CpuId cpu, Ns begin) {
  if (cpu >= index_.size()) index_.resize(cpu + 1, -1);
  index_[cpu] = static_cast<std::int32_t>(tracks_.size());
  Track& track = tracks_.emplace_back();
  track.cpu = cpu;
  track.open = begin;
  track.pid = 0;
  track.stack = threads_.get(0).stack;
  track.called = true;
}

Ns Execution::clamp(const Track& track, Ns now) {
  if (now >= track.open) return now;
  // A folded call shorter than a tick is recorded with one, in which other events may follow.
  const bool within_tick = track.open == track.folded_until && track.open - now <= tick_;
  if (!within_tick) count("time_clamped");
  return track.open;
}

Span Execution::open_span(const Track& track, Ns end) const {
  const Frame& frame = track.stack.top();
  Span span;
  span.start = track.open;
  span.duration = end - track.open;
  span.cpu = track.cpu;
  span.pid = track.pid;
  span.rpc = track.rpc;
  span.event = frame.call;
  span.arg = frame.arg;
  span.name = frame.name;
  span.kind = frame.kind;
  if (track.stack.depth() != 0) return span;
  if (track.low_power) {
    span.kind = SpanKind::kIdleLowPower;
    span.arg = track.low_power_arg;
  } else if (track.hidden) {
    return hidden_span(track.cpu, track.open, end, names_.hidden());
  }
  return span;
}

void Execution::emit(Track& track, Ns end, std::uint8_t ipc) {
  if (end > track.open) {
    Span span = open_span(track, end);
    span.ipc = ipc;
    sink_.push(span);
  }
  track.open = end;
}

void Execution::emit_result(Track& track, Ns end, std::uint16_t result, std::uint8_t ipc) {
  if (end > track.open) {
    Span span = open_span(track, end);
    span.ipc = ipc;
    span.result = result;
    span.has_result = true;
    sink_.push(span);
  }
  track.open = end;
}

bool Execution::is_of_thread(EventNum call) {
  const Level level = level_of(call);
  return level == Level::kSyscall || level == Level::kTrap;
}

void Execution::push(Track& track, EventNum call, std::uint32_t arg) {
  if (track.stack.full()) {
    track.stack.pop();
    count("stack_overflow");
  }
  track.stack.push(make_frame(names_, call, arg));
  track.called = track.called || is_of_thread(call);
}

void Execution::pop_missing(Track& track, Ns now, std::uint8_t ipc, const char* rule) {
  emit(track, now, ipc);
  track.stack.pop();
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
  if (just_switched && (is_user_caused(call) || !threads_.get(track.pid).ran_before)) {
    // A thread that never ran before leaves the scheduler without the usual return. An interrupt
    // proves that only of a new thread: it may also come while the scheduler is on its way out.
    track.stack.pop();
    count("missing_sched_return");
  }
  if (level_of(call) == Level::kSyscall) user_evidence(track.cpu);
  track.unsure = false;
  while (track.stack.depth() > 0 && !can_nest(track.stack.top(), call)) {
    // A fault that is taken again, or that a copy of the kernel's met with faults switched off.
    const bool again = call == ev::kPageFault && track.stack.top().call == call;
    pop_missing(track, now, ipc, again ? "fault_failed" : "missing_return");
  }
}

void Execution::call(CpuId cpu, Ns now, EventNum call, std::uint32_t arg, Ipc ipc) {
  Track& track = this->track(cpu);
  now = clamp(track, now);
  make_room(track, call, now, ipc.before);
  emit(track, now, ipc.before);
  push(track, call, arg);
  if (is_scheduler(call)) track.switched = kNever;
}

void Execution::folded_call(CpuId cpu, Ns now, Ns duration, EventNum call, std::uint32_t arg,
                            std::uint16_t result, Ipc ipc) {
  Track& track = this->track(cpu);
  // Of several such calls within one tick, the first has it and the others end there too, so that
  // nothing after them moves.
  const Ns end = now + duration;
  now = clamp(track, now);
  if (ends_with_signal(track, call, duration)) pop_missing(track, now, ipc.before);
  make_room(track, call, now, ipc.before);
  emit(track, now, ipc.before);
  push(track, call, arg);
  track.folded_until = std::max(now, end);
  emit_result(track, track.folded_until, result, ipc.call);
  track.stack.pop();
}

// The depth of the system call that returns so, or 0. One that replaced its own registers
// (sigreturn) returns under number -1; one that was called under that number, or another that no
// call has, returns as if it had replaced them.
int Execution::returns_under_another_number(const Track& track, EventNum call) {
  int depth = track.stack.depth();
  while (depth > 0 && !is_syscall_frame(track.stack.at(depth))) --depth;
  if (depth == 0 || is_scheduler(call)) return depth;
  return track.stack.at(depth).call == KUTRACE_UNKNOWN_CALL ? depth : 0;
}

void Execution::end_call(CpuId cpu, Ns now, EventNum call, std::uint32_t arg, Ipc ipc) {
  Track& track = this->track(cpu);
  now = clamp(track, now);
  track.unsure = false;
  int depth = track.stack.find(call);
  if (depth == 0 && event_class(call) == EventClass::kSyscall) {
    depth = returns_under_another_number(track, call);
    if (depth > 0) count("return_number_lost");
  }
  if (depth == 0 && call == ev::kBottomHalf && track.stack.top().call == KUTRACE_IRQ_RESCHEDULE) {
    depth = track.stack.depth();
    count("bh_closes_reschedule");
  }
  if (depth == 0 && call == ev::kPageFault && (arg == SIGSEGV || arg == SIGBUS)) {
    return count("signal_without_fault");
  }
  if (depth > 0) {
    while (track.stack.depth() > depth) {
      const bool failed = level_of(call) == Level::kSyscall && track.stack.depth() == depth + 1 &&
                          track.stack.top().call == ev::kPageFault;
      pop_missing(track, now, ipc.before, failed ? "fault_failed" : "missing_return");
    }
  } else {
    while (track.stack.depth() > 0 && !can_nest(track.stack.top(), call)) {
      track.stack.pop();
      count("missing_return");
    }
    const bool first = !track.called && is_of_thread(call);
    push(track, call, call == ev::kBottomHalf ? arg : 0);
    count(first ? "began_before_start" : "return_without_call");
  }
  emit_result(track, now, static_cast<std::uint16_t>(arg), ipc.before);
  track.stack.pop();
  track.called = track.called || is_of_thread(call);
  if (is_scheduler(call)) track.switched = kNever;
}

void Execution::user_evidence(CpuId cpu) {
  Track& track = this->track(cpu);
  if (!track.unsure) return;
  track.unsure = false;
  if (track.stack.depth() == 0) return;
  track.stack.clear();
  count("resumed_in_user");
}

void Execution::load_thread(Track& track, Pid pid) {
  Thread& thread = threads_.get(pid);
  track.pid = pid;
  track.stack = thread.stack;
  track.rpc = thread.rpc;
  track.unsure = thread.switched_while_in_call;
  track.called = thread.called;
  track.low_power = false;
  track.hidden = thread.hidden || !owners_known_;
  track.known = true;
  thread.running = true;
}

void Execution::context_switch(CpuId cpu, Ns now, Pid pid, Ipc ipc) {
  Track& track = this->track(cpu);
  now = clamp(track, now);
  if (track.known && pid == track.pid) {
    // Said again at the start of the recording; later it means that a switch away was not seen.
    if (track.switched_before) count("switch_to_running_thread");
    return;
  }
  const bool in_scheduler = is_scheduler(track.stack.top().call);
  const EventNum scheduler = track.stack.top().call;
  emit(track, now, ipc.before);
  Thread& old = threads_.get(track.pid);
  old.running = false;
  old.ran_before = true;
  old.called = track.called;
  if (track.pid != 0) {
    old.stack = track.stack;
    if (in_scheduler) old.stack.pop();
    old.rpc = track.rpc;
    old.switched_while_in_call = old.stack.depth() > 0;
  }
  load_thread(track, pid);
  if (in_scheduler) push(track, scheduler, 0);
  track.switched = now;
  track.switched_before = true;
}

void Execution::hide(CpuId cpu, bool hidden) {
  Track& track = this->track(cpu);
  threads_.get(track.pid).hidden = hidden;
  if (track.hidden == hidden) return;
  track.hidden = hidden;
  // What it was in before, it may have left unseen.
  if (!is_scheduler(track.stack.top().call)) track.stack.clear();
  track.unsure = false;
}

void Execution::hide_owners() {
  owners_known_ = false;
  for (Track& track : tracks_) track.hidden = true;
}

void Execution::rename(Pid pid, NameId name) {
  for (Track& track : tracks_) {
    if (track.pid == pid) track.stack.bottom().name = name;
  }
}

bool Execution::runs_elsewhere(const Track& track, Pid pid) const {
  return std::ranges::any_of(tracks_,
                             [&](const Track& t) { return t.cpu != track.cpu && t.pid == pid; });
}

void Execution::renumber(CpuId cpu, Ns now, Pid from, Pid to) {
  Track& track = this->track(cpu);
  if (!track.known || (track.pid != from && track.pid != to)) return;
  emit(track, clamp(track, now), 0);
  // A switch may have named it by its new number before.
  CallStack stack = track.pid == from ? track.stack : threads_.get(from).stack;
  Thread& thread = threads_.renew(to);
  stack.bottom() = thread.stack.bottom();
  track.pid = to;
  track.stack = thread.stack = stack;
  thread.running = thread.ran_before = thread.called = true;
  if (!runs_elsewhere(track, from)) threads_.renew(from);
}

void Execution::running(CpuId cpu, Pid pid) { load_thread(track(cpu), pid); }

void Execution::lose(CpuId cpu, Ns begin, Ns end, unsigned reason) {
  Track& track = this->track(cpu);
  begin = std::max(begin, track.open);
  emit(track, begin, 0);
  if (end <= begin) return;
  Span span;
  span.start = begin;
  span.duration = end - begin;
  span.cpu = cpu;
  span.event = ev::kLOSS_SPAN;
  span.arg = reason;
  span.name = names_.loss();
  span.kind = SpanKind::kLoss;
  sink_.push(span);
  track.open = end;
  Thread& lost = threads_.get(track.pid);
  lost.running = false;
  lost.called = lost.called || track.called;
  track.known = false;
  track.pid = 0;
  track.stack = threads_.get(0).stack;
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
  emit(track, clamp(track, now), ipc.before);
  track.rpc = rpc;
}

void Execution::finish(Ns end) {
  for (Track& track : tracks_) emit(track, std::max(end, track.open), 0);
}

}  // namespace kutrace
