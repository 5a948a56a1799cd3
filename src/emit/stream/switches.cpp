// SPDX-License-Identifier: BSD-3-Clause
// Switches. A thread is followed from the end of an execution span to the begin of its next one:
// the first wait between them says why it left, and a wakeup who woke it.
#include "emit/stream/switches.h"

#include <algorithm>
#include <utility>

#include "format/event_table.h"
#include "format/perfetto_fields.h"

namespace kutrace::emit {

namespace {

constexpr EventNum kReadyWait = ev::kWAIT_FIRST + ('c' - 'a');
constexpr EventNum kDiskWait = ev::kWAIT_FIRST + ('d' - 'a');

}  // namespace

Pid Switches::pid_of(const Span& span) {
  if (span.kind == SpanKind::kLoss) return kLostThread;
  if (span.kind == SpanKind::kHidden) return kHiddenThread;
  return std::max(span.pid, 0);
}

NameId Switches::name_of(Pid pid) const {
  const std::uint32_t place = numbers_.find(pid);
  return place < threads_.size() ? threads_[place].name : kNoName;
}

std::uint32_t Switches::expect(Pid pid, Ahead ahead) const {
  const std::uint32_t place = numbers_.find(pid);
  if (place < threads_.size() && ahead == Ahead::kFar) prefetch(&threads_[place]);
  return place;
}

void Switches::push(const Span& span) {
  if (is_execution(span.kind)) return execution(span);
  if (span.kind == SpanKind::kRename) {
    at(span.pid).name = span.name;
  } else if (span.kind == SpanKind::kWait) {
    Thread& thread = at(span.pid);
    thread.ready = span.event == kReadyWait && span.start != thread.ran_until;
    if (span.start != thread.ran_until) return;
    // A thread cannot be woken that could run.
    if (span.event == kReadyWait && !thread.woken_at_once) thread.left = LeftFor::kReady;
    if (span.event == kDiskWait) thread.left = LeftFor::kDisk;
  } else if (span.kind == SpanKind::kPoint && span.event == ev::kRUNNABLE) {
    const std::uint32_t place = numbers_.find(static_cast<Pid>(span.arg));
    if (place < threads_.size())
      threads_[place].last_wakeup = {span.start, span.cpu, std::max(span.pid, 0)};
  } else if (span.kind == SpanKind::kWakeupArc) {
    Thread& thread = at(span.other);
    if (span.start <= thread.ran_until) {
      thread.woken_at_once = true;
      if (thread.left == LeftFor::kReady) thread.left = LeftFor::kSleep;
    }
    woken(span.other, {span.start, span.cpu, std::max(span.pid, 0)}, span.low_arg(),
          span.start + span.duration);
  }
}

void Switches::woken(Pid pid, const Wakeup& by, CpuId target, Ns runs) {
  const Thread& thread = at(pid);
  Waking waking;
  waking.time = std::max(by.time, thread.ran_until == kNever ? kNever : thread.ran_until + 1);
  waking.woken = by.time;
  waking.cpu = by.cpu;
  waking.waker = by.waker;
  waking.pid = pid;
  waking.name = thread.name;
  waking.target = target;
  if (waking.time < runs) take_waking_(waking);
}

void Switches::runs_again(Thread& thread) {
  if (thread.waiting) {
    thread.waiting->left = thread.left;
    take_switch_(*std::exchange(thread.waiting, std::nullopt));
  } else if (thread.ran_until != kNever) {
    thread.known.push_back({thread.ran_until, thread.left});
  }
  thread.left = LeftFor::kSleep;
  thread.woken_at_once = false;
  thread.ready = false;
  thread.last_wakeup = {};
}

void Switches::switched(const Switch& told, Thread& left) {
  tell_early(told);
  const auto known = std::ranges::find(left.known, told.time, &Out::time);
  Switch whole = told;
  if (told.previous == 0 || told.previous >= kLostThread) {
    take_switch_(whole);
  } else if (known != left.known.end()) {
    whole.left = known->left;
    left.known.erase(known);
    take_switch_(whole);
  } else {
    left.waiting = whole;
  }
}

void Switches::execution(const Span& span) {
  if (span.cpu >= cpus_.size()) cpus_.resize(span.cpu + std::size_t{1});
  Cpu& cpu = cpus_[span.cpu];
  const Pid pid = pid_of(span);
  if (!cpu.seen || cpu.pid != pid) {
    const std::uint32_t place = place_of(pid);
    Thread& next = met(place);
    if (is_user(span.kind) || pid >= kLostThread) next.name = span.name;
    if (pid != 0 && pid < kLostThread) runs_again(next);
    if (cpu.seen) {
      switched({.time = span.start,
                .cpu = span.cpu,
                .previous = cpu.pid,
                .next = pid,
                .previous_name = threads_[cpu.thread].name,
                .next_name = next.name},
               threads_[cpu.thread]);
    } else {
      // Who ran when the recording began came from nobody knows whom.
      const Switch first{.time = span.start, .cpu = span.cpu, .next = pid, .next_name = next.name};
      tell_early(first);
      take_switch_(first);
    }
    cpu = {true, pid, place};
  } else if (is_user(span.kind)) {
    threads_[cpu.thread].name = span.name;
  }
  threads_[cpu.thread].ran_until = span.start + span.duration;
}

void Switches::finish(Ns end) {
  for (Thread& thread : threads_) {
    if (!thread.waiting) continue;
    thread.waiting->left = thread.left;
    // Where it would have run, nobody knows.
    const Wakeup& last = thread.last_wakeup;
    if (thread.ready && last.time != kNever) woken(thread.waiting->previous, last, last.cpu, end);
    take_switch_(*std::exchange(thread.waiting, std::nullopt));
  }
  for (CpuId cpu = 0; cpu < cpus_.size(); ++cpu) {
    const Cpu& last = cpus_[cpu];
    if (!last.seen) continue;
    const Switch told{.time = end,
                      .cpu = cpu,
                      .previous = last.pid,
                      .next = 0,
                      .previous_name = threads_[last.thread].name};
    if (last.pid != 0) tell_early(told);
    take_switch_(told);
  }
}

}  // namespace kutrace::emit
