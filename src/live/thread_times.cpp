// SPDX-License-Identifier: BSD-3-Clause
// Three states of each thread, and what calls and waits add.
#include "live/thread_times.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "decode/entry.h"
#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace::live {

namespace {

Ns percentile_99(std::vector<std::uint32_t>& lengths) {
  if (lengths.empty()) return 0;
  // The least length that at least 99 of 100 do not exceed.
  const std::size_t place = (lengths.size() * 99 + 99) / 100 - 1;
  const auto at = lengths.begin() + static_cast<std::ptrdiff_t>(place);
  std::ranges::nth_element(lengths, at);
  return *at;
}

}  // namespace

class ThreadTimes::Sink : public SpanSink {
 public:
  Sink(ThreadTimes& times, const LaneView& view) : times_(times), tenure_(view.tenure) {}
  void push(const Span& span) override {
    if (span.kind == SpanKind::kWait && !tenure_.is_over && tenure_.has_wait(span.pid, span.start))
      times_.wait(span);
  }
  void call(const Call& call) override {
    if (!tenure_.is_over && tenure_.has(call.begin)) times_.call(call);
  }
  void life(const ThreadLife& life) override {
    if (!tenure_.is_over) times_.ended(life.pid);
  }

 private:
  ThreadTimes& times_;
  const Tenure& tenure_;
};

Ns ThreadRow::waiting() const {
  Ns sum = under_way;
  for (const Ns time : waits) sum += time;
  return sum;
}

std::unique_ptr<SpanSink> ThreadTimes::sink(const LaneView& view) {
  return std::make_unique<Sink>(*this, view);
}

// One that appears in the midst of an interval was not there before, as far as is known.
ThreadTimes::Thread& ThreadTimes::thread(Pid pid, Ns now) {
  const auto [known, is_new] = threads_.try_emplace(pid);
  if (is_new) known->second.since = now;
  return known->second;
}

void ThreadTimes::settle(Thread& thread, Ns now) {
  const Ns time = std::max<Ns>(0, now - thread.since);
  thread.since = std::max(thread.since, now);
  switch (thread.doing) {
    case Doing::kRuns:
      thread.on_cpu += time;
      break;
    case Doing::kReady:
      thread.ready += time;
      break;
    // What for, spans say when it wakes; `under_way` is what they have not told yet.
    case Doing::kWaits:
      thread.waited += time;
      break;
  }
}

void ThreadTimes::turn(Pid pid, Doing doing, Ns now) {
  if (pid <= 0) return;
  Thread& one = thread(pid, now);
  settle(one, now);
  one.doing = doing;
  one.has_ended = false;
}

// Who runs may be said again; a switch says how it left the one before.
void ThreadTimes::switch_to(CpuId cpu, Pid pid, std::uint32_t arg, Ns now) {
  const auto [running, is_first] = running_.try_emplace(cpu, pid);
  if (!is_first && running->second != pid) {
    const bool stays_ready = (arg & KUTRACE_SWITCH_UNSEEN) == KUTRACE_SWITCH_RUNNABLE;
    turn(running->second, stays_ready ? Doing::kReady : Doing::kWaits, now);
    ++switches_;
  }
  running->second = pid;
  turn(pid, Doing::kRuns, now);
}

// Names, and which process a thread is of.
void ThreadTimes::told(const timeline::Event& event) {
  const decode::Entry& entry = event.entry;
  const auto pid = static_cast<Pid>(entry.arg);
  if (entry.words < 2 || pid <= 0) return;
  if (entry.number == timeline::kBlockStart || name_kind(entry.number) == kind::kPID_NAME) {
    thread(pid, event.time).name = printable(entry.payload_text());
  } else if (name_kind(entry.number) == kind::kTASK && entry.words > 2) {
    thread(pid, event.time).process = static_cast<Pid>(entry.payload_word(1) & 0xffff'ffff);
  }
}

void ThreadTimes::event(const timeline::Event& event) {
  const EventNum number = event.entry.number;
  if (number == timeline::kBlockStart) {
    told(event);
    // Later headers repeat what switches have said.
    if (!running_.contains(event.cpu))
      switch_to(event.cpu, static_cast<Pid>(event.entry.arg), 0, event.time);
    return;
  }
  if (number >= timeline::kGap) return;
  if (event_class(number) == EventClass::kName) return told(event);
  if (event.cpu == kNoCpu) return;
  if (number == ev::kUSERPID)
    return switch_to(event.cpu, static_cast<Pid>(decode::switched_to(event.entry.arg)),
                     event.entry.arg, event.time);
  if (number == ev::kRUNNABLE) {
    const auto pid = static_cast<Pid>(event.entry.arg & KUTRACE_SWITCH_PID_MASK);
    const auto known = threads_.find(pid);
    // Preempted threads are ready already; of a thread that runs, a wakeup says nothing.
    if (known == threads_.end() || known->second.doing == Doing::kWaits)
      turn(pid, Doing::kReady, event.time);
  } else if (event_class(number) == EventClass::kIrq) {
    ++interrupts_;
  }
}

void ThreadTimes::wait(const Span& span) {
  const char letter = reports::wait_letter(span.event);
  // Being ready is counted from switches and wakeups (settle), at once and not when it is over.
  if (letter == reports::kReady) return;
  const Ns end = span.start + span.duration;
  const auto known = threads_.find(span.pid);
  if (known == threads_.end()) return;
  // What lies before this interval was told in an earlier one, as under way.
  reports::add_wait(known->second.waits, letter,
                    std::max<Ns>(0, end - std::max(span.start, begin_)));
}

void ThreadTimes::call(const Call& call) {
  if (call.kind != SpanKind::kSyscall || call.pid <= 0) return;
  const auto known = threads_.find(call.pid);
  if (known == threads_.end()) return;
  // 32 bits each, as there are many; what is longer counts as 4.3 s.
  constexpr Ns kMost = std::numeric_limits<std::uint32_t>::max();
  known->second.calls.push_back(static_cast<std::uint32_t>(std::min(call.duration(), kMost)));
}

void ThreadTimes::ended(Pid pid) {
  const auto known = threads_.find(pid);
  if (known != threads_.end()) known->second.has_ended = true;
}

TimesOfInterval ThreadTimes::take(Ns end, const std::function<bool(Pid)>& is_gone) {
  TimesOfInterval times;
  MachineRow& machine = times.machine;
  machine.begin = begin_;
  machine.length = end - begin_;
  machine.cpus = running_.size();
  machine.interrupts = interrupts_;
  machine.switches = switches_;
  for (auto& [pid, one] : threads_) {
    one.has_ended = one.has_ended || (one.doing == Doing::kWaits && is_gone(pid));
    // What goes on is cut here and goes on in the next interval; nobody waits after his end.
    if (!one.has_ended) settle(one, end);
    ThreadRow row{.tid = pid, .process = one.process, .name = one.name};
    row.on_cpu = one.on_cpu;
    row.ready = one.ready;
    row.waits = one.waits;
    Ns told = 0;
    for (const Ns time : one.waits) told += time;
    row.under_way = std::max<Ns>(0, one.waited - told);
    // What is left, so that the parts of a row add up to the interval whatever happened.
    row.unseen = machine.length - row.on_cpu - row.ready - row.waiting();
    row.calls = one.calls.size();
    row.p99 = percentile_99(one.calls);
    machine.busy += row.on_cpu;
    machine.calls += row.calls;
    times.threads.push_back(std::move(row));
    one.on_cpu = one.ready = one.waited = 0;
    one.waits = {};
    one.calls.clear();
  }
  std::erase_if(threads_, [](const auto& one) { return one.second.has_ended; });
  interrupts_ = switches_ = 0;
  begin_ = end;
  return times;
}

}  // namespace kutrace::live
