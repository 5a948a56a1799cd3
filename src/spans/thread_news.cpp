// SPDX-License-Identifier: BSD-3-Clause
// Keeping the thread table up to date.
#include "spans/thread_news.h"

#include <algorithm>

#include "base/text.h"
#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::spans {

void ThreadNews::name(Ns now, CpuId cpu, Pid pid, const std::string& text) {
  if (text.empty() || pid == 0) return;
  parts_.ids.saw_name(text);
  if (parts_.ids.is_idle_name(pid, text)) return;
  const NameId before = parts_.threads.get(pid).info.name;
  if (parts_.names.text(before) == text) return;  // blocks say it again and again
  const NameId name = parts_.names.intern(printable(text));
  if (before == name) return;
  Thread& thread = parts_.threads.get(pid);
  thread.name_before = before;
  thread.renamed = now;
  parts_.threads.set_name(pid, name);
  parts_.execution.rename(pid, name);
  // A child's name comes before its birth is told, perhaps under the number of one that has ended.
  if (before == kNoName || parts_.execution.has_ended(thread)) return;
  Span span;
  span.start = now;
  span.cpu = cpu;
  span.pid = pid;
  span.name = name;
  span.kind = SpanKind::kRename;
  parts_.sink.push(span);
}

// Without a name before, and of other recorders, it is one that is not known.
std::string ThreadNews::empty_name(Pid pid) {
  const bool is_known = own_source_ && parts_.threads.get(pid).info.name != kNoName;
  return is_known ? "\"\"" : "";
}

void ThreadNews::task(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  if (entry.words < KUTRACE_TASK_WORDS || entry.arg == 0) return;
  const auto pid = static_cast<Pid>(entry.arg);
  const bool from_start = event.cpu == kNoCpu;
  const auto flags = static_cast<std::uint32_t>(entry.payload_word(0));
  const auto other = static_cast<std::uint32_t>(entry.payload_word(0) >> 32);
  // The front names the command, which the recorder starts when it records.
  const bool is_command = (flags & KUTRACE_TASK_COMMAND) != 0;
  const bool renumbered = !from_start && (flags & KUTRACE_TASK_RENUMBERED) != 0;
  if (renumbered) renumber(event, static_cast<Pid>(other));
  const std::uint64_t family = entry.payload_word(1);
  const auto process = static_cast<Pid>(family & 0xffff'ffff);
  const bool is_found = !from_start && (flags & KUTRACE_TASK_FOUND) != 0;
  // A thread of another process has the number of one that ended unseen.
  const Pid known = parts_.threads.get(pid).info.process;
  const bool is_known = is_found && (known == kNoPid || known == process);
  const bool is_new = !from_start && !renumbered && !is_known && !parts_.threads.get(pid).running;
  Thread& thread = is_new ? begun(pid) : parts_.threads.get(pid);
  const Ns since = from_start ? recorded_since(pid, event.time) : event.time;
  if (thread.life.begin == kNotYet && !thread.running && !(from_start && is_command)) {
    thread.life.begin = std::max(since, thread.life.end);
  }
  thread.info.process = process;
  thread.info.parent = static_cast<Pid>(family >> 32);
  parts_.book.belongs(pid, thread.info.process, thread.info.parent);
  if (is_new && (flags & KUTRACE_TASK_SHARES_MEMORY) != 0)
    parts_.book.shares(thread.info.process, thread.info.parent);
  thread.info.recorder |= (flags & KUTRACE_TASK_RECORDER) != 0;
  thread.info.command |= is_command;
  thread.info.kernel_thread = (flags & KUTRACE_TASK_KERNEL_THREAD) != 0;
  if (from_start && !is_command) {
    existed(pid, thread, other, since);
    // /proc names the call of a thread that sleeps, not of one that could run.
    if (!thread.info.kernel_thread && other != 0) thread.left = Left::kBlocked;
  } else if (is_found) {
    found(pid, thread, other, since);
  } else if (is_new && !thread.info.kernel_thread) {
    born(pid, parts_.execution.stack(event.cpu), event.time);
  }
}

// Of several machines, one may have been recorded later than another.
Ns ThreadNews::recorded_since(Pid pid, Ns begin) const {
  const auto behind = std::ranges::upper_bound(machines_, pid, {}, &MachineFact::first_thread);
  return behind == machines_.begin() ? begin : std::max(begin, std::prev(behind)->begin);
}

// The name of a new thread stands before the entry that tells of it: it is not one that the thread
// which had its number got when it had done all that it did.
Thread& ThreadNews::begun(Pid pid) {
  Thread& old = parts_.threads.get(pid);
  const NameId name = old.info.name;
  const bool is_of_new = old.name_before != kNoName && old.renamed >= old.life.end;
  if (is_of_new) old.info.name = old.name_before;
  Thread& thread = parts_.execution.renew(pid);
  parts_.threads.set_name(pid, name);
  return thread;
}

// It exists since before the recording; `blocked_in` is the system call it was in, from 1 on.
void ThreadNews::existed(Pid pid, Thread& thread, std::uint32_t blocked_in, Ns now) {
  thread.ran_before = true;
  parts_.wakeups.waits_since(pid, now);
  // A kernel thread is in no system call, whatever its unused registers say.
  if (thread.info.kernel_thread || blocked_in == 0) return;
  // Its return has the number that all calls without one of their own share.
  const std::uint32_t number = std::min(blocked_in, kNarrowSyscalls) - 1;
  start_inside(pid, syscall_event(number), 0, now);
  thread.switched_while_in_call = true;  // it may have left before the hooks were in place
}

void ThreadNews::was_in_call(Pid pid, EventNum call, Ns begin) {
  if (parts_.book.makes_thread(call)) return;
  Thread& thread = parts_.threads.get(pid);
  if (thread.life.begin == kNotYet) thread.life.begin = begin;
  existed(pid, thread, syscall_number(call) + 1, begin);
}

// It waits in this system call. If that is not the one that it was seen in, nobody knows when it
// left that one, and for what it waited meanwhile.
void ThreadNews::found(Pid pid, Thread& thread, std::uint32_t blocked_in, Ns now) {
  if (!calls_ || thread.running || thread.info.kernel_thread || blocked_in == 0) return;
  const EventNum call = syscall_event(std::min(blocked_in, kNarrowSyscalls) - 1);
  for (int depth = thread.stack.depth(); depth > 0; --depth)
    if (thread.stack.at(depth).call == call) return;
  parts_.wakeups.waits_anew(pid, now);
  parts_.execution.end_calls(thread);
  existed(pid, thread, blocked_in, now);
}

// A child begins where its parent is: inside the call that made it. One that the kernel makes for a
// program, as io_uring does, has no user code to return to, so it is in no call.
void ThreadNews::born(Pid pid, const CallStack& parent, Ns now) {
  for (int depth = parent.depth(); depth > 0; --depth) {
    const Frame& frame = parent.at(depth);
    if (frame.level == Level::kSyscall) start_inside(pid, frame.call, frame.arg, now);
  }
}

// The header of a block that begins with it named the thread by its new number.
void ThreadNews::renumber(const timeline::Event& event, Pid before) {
  const auto now = static_cast<Pid>(event.entry.arg);
  if (parts_.lost.header_pid(event.cpu) == now) parts_.lost.forget_header(event.cpu);
  parts_.execution.saw(event.cpu, event.time);
  parts_.execution.renumber(event.cpu, event.time, before, now);
}

void ThreadNews::start_inside(Pid pid, EventNum call, std::uint64_t arg, Ns now) {
  if (calls_) parts_.execution.start_inside(pid, call, arg, now);
}

void ThreadNews::forked(const timeline::Event& event, EventNum call, std::uint16_t result) {
  constexpr std::uint16_t kFirstErrno = 0xff80;
  if (result >= kFirstErrno) return;
  if (event_class(call) != EventClass::kSyscall || is_scheduler(call)) return;
  if (!parts_.book.makes_thread(call)) return;
  const Pid child = parts_.ids.whole(result);
  const Thread& thread = parts_.threads.get(child);
  const Pid parent = parts_.execution.pid(event.cpu);
  // Its number belonged to a thread that ended: what that one was in says nothing of this one.
  const bool reused = thread.ran_before && parts_.book.ends_thread(thread.top().call);
  if (reused && !thread.running && thread.woken == kNever) {
    parts_.execution.renew(child);
    const NameId named = parts_.threads.get(parent).info.name;
    name(event.time, event.cpu, child, parts_.names.text(named));
  }
  if (thread.running || thread.ran_before || thread.woken != kNever) return;
  parts_.counters.add(Counter::kForkIsWakeup);
  parts_.wakeups.wake(event.cpu, event.time + event.duration, parent,
                      parts_.execution.top(event.cpu), 0, child);
}

}  // namespace kutrace::spans
