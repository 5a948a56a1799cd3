// SPDX-License-Identifier: BSD-3-Clause
// Summing up rows.
#include "reports/stat.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/add_time.h"
#include "format/event_table.h"
#include "reports/syscalls.h"

namespace kutrace::reports {

namespace {

Ns StatSums::* time_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::kUser:
    case SpanKind::kKernelThread:
      return &StatSums::user;
    case SpanKind::kIrq:
    case SpanKind::kSoftirq:
      return &StatSums::interrupts;
    case SpanKind::kIdle:
    case SpanKind::kIdleLowPower:
    case SpanKind::kCExit:
      return &StatSums::idle;
    case SpanKind::kHidden:
      return &StatSums::hidden;
    case SpanKind::kLoss:
      return &StatSums::lost;
    default:
      return &StatSums::kernel;
  }
}

std::uint64_t StatSums::* count_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::kSyscall:
      return &StatSums::syscalls;
    case SpanKind::kTrap:
      return &StatSums::faults;
    case SpanKind::kIrq:
      return &StatSums::irqs;
    case SpanKind::kSoftirq:
      return &StatSums::softirqs;
    default:
      return nullptr;
  }
}

// What is not told has no thread.
Pid owner_of(const Span& span) {
  return span.kind == SpanKind::kLoss || span.kind == SpanKind::kHidden ? kNoPid : span.pid;
}

Ns unknown_of(const StatSums& sums) { return sums.life - sums.executing() - sums.waiting(); }

}  // namespace

Ns StatSums::blocked() const { return waiting() - wait_of(waits, kReady); }

void StatSums::add(const StatSums& other) {
  for (Ns StatSums::* time :
       {&StatSums::user, &StatSums::kernel, &StatSums::interrupts, &StatSums::idle,
        &StatSums::hidden, &StatSums::lost, &StatSums::life, &StatSums::unknown}) {
    add_time(this->*time, other.*time);
  }
  add_waits(waits, other.waits);
  ready.merge(other.ready);
  for (std::uint64_t StatSums::* count :
       {&StatSums::switches, &StatSums::voluntary, &StatSums::involuntary, &StatSums::woken,
        &StatSums::migrations, &StatSums::syscalls, &StatSums::faults, &StatSums::irqs,
        &StatSums::softirqs}) {
    this->*count += other.*count;
  }
}

void Stat::begin(const TraceInfo& known) {
  begin_ = options_.windows.empty() ? known.begin : options_.windows.front().begin;
  const auto groups = known.facts.get(fact::kEvents);
  switches_told_ = !groups || std::ranges::find(*groups, "sched") != groups->end();
}

Stat::Thread& Stat::thread_at(std::uint32_t row) {
  if (row >= threads_.size()) threads_.resize(row + std::size_t{1});
  return threads_[row];
}

Stat::Cpu& Stat::cpu_at(CpuId cpu) {
  if (cpu >= cpus_.size()) cpus_.resize(cpu + std::size_t{1});
  cpus_[cpu].any = true;
  return cpus_[cpu];
}

// Two become one, so that there are never too many.
void Stat::fold_intervals() {
  options_.every *= 2;
  std::vector<StatSums> folded((intervals_.size() + 1) / 2);
  for (std::size_t i = 0; i < intervals_.size(); ++i) folded[i / 2].add(intervals_[i]);
  intervals_ = std::move(folded);
}

StatSums* Stat::interval_at(Ns time) {
  if (options_.every == 0) return nullptr;
  const auto place = [&] {
    return static_cast<std::size_t>(std::max<Ns>(0, time - begin_) / options_.every);
  };
  while (place() >= kMostIntervals) fold_intervals();
  if (place() >= intervals_.size()) intervals_.resize(place() + 1);
  return &intervals_[place()];
}

// Whether it lies in a window.
bool Stat::has(Ns moment) const { return lies_in(options_.windows, moment); }

// `add(begin, end)` for each part of the span that lies in a window.
template <typename Add>
void Stat::each_part(const Span& span, const Add& add) const {
  const std::vector<TimeWindow>& windows = options_.windows;
  const Ns end = span.start + span.duration;
  if (windows.empty()) return add(span.start, end);
  kutrace::each_part(windows, span.start, end, add);
}

// `add(interval, time)` for each interval that [start, end) reaches into.
template <typename Add>
void Stat::each_interval(Ns start, Ns end, const Add& add) {
  while (options_.every != 0 && start < end) {
    StatSums& interval = *interval_at(start);
    const Ns edge = begin_ + ((start - begin_) / options_.every + 1) * options_.every;
    const Ns until = std::min(end, edge);
    add(interval, until - start);
    start = until;
  }
}

void Stat::push(const Span& span) {
  if (is_execution(span.kind)) {
    execution(span);
  } else if (span.kind == SpanKind::kWait) {
    wait(span);
  } else if (span.kind == SpanKind::kFunction) {
    function(span);
  } else if (span.kind == SpanKind::kWakeupArc && span.other > 0) {
    wakeup(span);
  } else if (span.kind == SpanKind::kPoint && span.event == ev::kPageFault) {
    fault(span);
  }
}

// Of a source that does not see faults end: a moment.
void Stat::fault(const Span& span) {
  faults_told_ = true;
  if (span.cpu != kNoCpu) ++cpu_at(span.cpu).sums.faults;
  if (span.pid > 0) ++thread_at(who_.row(span.pid, span.thread)).sums.faults;
  if (StatSums* interval = interval_at(span.start)) ++interval->faults;
}

void Stat::execution(const Span& span) {
  Cpu& cpu = cpu_at(span.cpu);
  const Pid pid = owner_of(span);
  const std::uint32_t row = who_.row(pid, pid > 0 ? span.thread : ThreadId::kNone);
  Thread& thread = thread_at(row);
  if (cpu.last.cpu != kNoCpu) switched(cpu, span);
  Ns StatSums::* time = time_of(span.kind);
  each_part(span, [&](Ns from, Ns until) {
    cpu.sums.*time += until - from;
    thread.sums.*time += until - from;
    kinds_[static_cast<std::size_t>(span.kind)].own += until - from;
    each_interval(from, until, [time](StatSums& interval, Ns share) { interval.*time += share; });
  });
  if (pid > 0) ran(cpu, thread, span);
  if (is_interrupt(span.kind)) {
    any_interrupt_ = true;
    interrupts_told_ |= span.call != CallId::kNone;
    if (is_first_piece(cpu, span) && has(span.start)) ++(thread.sums.*count_of(span.kind));
  }
  cpu.last = span;
  cpu.last_thread = row;
}

void Stat::ran(Cpu& cpu, Thread& thread, const Span& span) {
  thread.kernel = thread.kernel || span.kind == SpanKind::kKernelThread;
  // Where it ran before may be told late, as CPUs come in no order.
  const bool is_late = thread.cpu != kNoCpu && span.start < thread.since;
  if (thread.cpu != kNoCpu && thread.cpu != span.cpu && !is_late && has(span.start)) {
    ++thread.sums.migrations;
    ++cpu.sums.migrations;
    if (StatSums* interval = interval_at(span.start)) ++interval->migrations;
  }
  if (!is_late) thread.cpu = span.cpu;
  thread.since = std::max(thread.since, span.start);
  thread.until = span.start + span.duration;
}

// Which call a piece belongs to may not be told: never, or of one that a page keeps elsewhere.
bool Stat::is_first_piece(Cpu& cpu, const Span& interrupt) {
  if (interrupt.call == CallId::kNone) return false;
  auto& [last, before] = cpu.interrupts[interrupt.kind == SpanKind::kIrq ? 0 : 1];
  if (interrupt.call == last) return false;
  std::swap(last, before);
  if (interrupt.call == last) return false;
  last = interrupt.call;
  return true;
}

// From the CPU's last span to this one, which may be the same thread's, or not behind it. Away from
// what is hidden there are switches of others, and nothing tells how many.
void Stat::switched(Cpu& cpu, const Span& to) {
  const Span& from = cpu.last;
  if (!switches_told_) return;
  const bool told =
      from.kind != SpanKind::kLoss && from.kind != SpanKind::kHidden && to.kind != SpanKind::kLoss;
  const bool same = owner_of(from) == owner_of(to) ||
                    (from.thread != ThreadId::kNone && from.thread == to.thread);
  if (!told || same || from.start + from.duration != to.start || !has(to.start)) return;
  ++cpu.sums.switches;
  if (StatSums* interval = interval_at(to.start)) ++interval->switches;
  if (owner_of(from) <= 0) return;
  ++thread_at(cpu.last_thread).sums.switches;
}

void Stat::wakeup(const Span& span) {
  Thread& thread = thread_at(who_.row(span.other));
  ++thread.sums.woken;
  if (StatSums* interval = interval_at(span.start)) ++interval->woken;
  thread.woken = {span.start, span.start + span.duration};
  if (!slept(thread)) return;
  // It was taken for preempted.
  StatSums* const of_wait = interval_at(thread.first_ready.begin);
  for (StatSums* const sums : {&thread.sums, of_wait}) {
    if (sums == nullptr) continue;
    --sums->involuntary;
    ++sums->voluntary;
  }
  thread.first_ready = {};
}

// Woken by the time it was switched away, it was about to sleep, and ready at once. The wakeup may
// come behind the wait, or before it.
bool Stat::slept(const Thread& thread) {
  const TimeWindow& ready = thread.first_ready;
  return ready.end > ready.begin && ready.end == thread.woken.end &&
         thread.woken.begin <= ready.begin;
}

void Stat::wait(const Span& span) {
  const char letter = wait_letter(span.event);
  Thread& thread = thread_at(who_.row(span.pid, span.thread));
  each_part(span, [&](Ns from, Ns until) {
    add_wait(thread.sums.waits, letter, until - from);
    each_interval(from, until, [letter](StatSums& interval, Ns share) {
      add_wait(interval.waits, letter, share);
    });
  });
  // The first wait after it ran tells how it was switched away.
  const bool is_first = thread.until == span.start;
  if (is_first) thread.until = -1;
  if (!has(span.start)) return;
  StatSums* interval = interval_at(span.start);
  const bool ready = letter == kReady;
  if (ready) thread.sums.ready.add(span.duration);
  if (interval != nullptr && ready) interval->ready.add(span.duration);
  if (!is_first) return;
  thread.first_ready = ready ? TimeWindow{span.start, span.start + span.duration} : TimeWindow();
  const bool is_sleep = !ready || slept(thread);
  if (is_sleep) thread.first_ready = {};
  std::uint64_t StatSums::* how = is_sleep ? &StatSums::voluntary : &StatSums::involuntary;
  ++(thread.sums.*how);
  if (interval != nullptr) ++(interval->*how);
}

void Stat::call(const Call& call) {
  calls_told_ = true;
  interrupts_told_ |= is_interrupt(call.kind);
  if (call.kind == SpanKind::kSyscall && is_birth(call, names_)) return;
  if (std::uint64_t StatSums::* count = count_of(call.kind); count != nullptr) {
    if (call.cpu != kNoCpu) ++(cpu_at(call.cpu).sums.*count);
    if (StatSums* interval = interval_at(call.begin)) ++(interval->*count);
    if (!is_interrupt(call.kind) && call.pid > 0)
      ++(thread_at(who_.row(call.pid, call.thread)).sums.*count);
  }
  StatKind& kind = kinds_[static_cast<std::size_t>(call.kind)];
  ++kind.calls;
  add_time(kind.with_called, call.on_cpu);
  add_time(kind.blocked, call.blocked);
  kind.durations.add(call.duration());
}

void Stat::life(const ThreadLife& life) {
  Thread& thread = thread_at(who_.life(life));
  any_life_ = true;
  if (!options_.whole_threads) return;
  lives_told_ = true;
  if (options_.windows.empty()) add_time(thread.sums.life, life.duration());
  for (const TimeWindow& window : options_.windows) {
    add_time(thread.sums.life,
             std::max<Ns>(0, std::min(window.end, life.end) - std::max(window.begin, life.begin)));
  }
}

std::vector<StatRow> Stat::rows(StatBy by, const TraceInfo& info) const {
  std::vector<StatRow> rows;
  if (by == StatBy::kCpu) {
    for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu) {
      if (!cpus_[cpu].any) continue;
      rows.push_back(
          {fmt::format("CPU {}", cpu), static_cast<std::int64_t>(cpu), 0, 0, cpus_[cpu].sums});
    }
    return rows;
  }
  if (by == StatBy::kInterval) {
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      const Ns from = begin_ + static_cast<Ns>(i) * options_.every;
      const Ns until = std::min(from + options_.every, info.end);
      rows.push_back({fmt::format("{:.9f}", static_cast<double>(from) / 1e9),
                      static_cast<std::int64_t>(i), from, until, intervals_[i]});
    }
    return rows;
  }
  std::map<std::string, std::size_t> groups;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (!threads_[i].is_of_part()) continue;
    const StatGroup of = group_of(who_, i, by, info);
    const auto [group, added] = groups.try_emplace(of.key, rows.size());
    if (added) {
      rows.push_back({of.name, of.id, 0, 0, {}});
    } else if (counts_threads(by)) {
      rows[group->second].id += of.id;
    }
    StatSums& sums = rows[group->second].sums;
    sums.add(threads_[i].sums);
    if (lives_told_ && who_.pid(i) > 0) sums.unknown += unknown_of(threads_[i].sums);
  }
  // Not by appearance: a page tells of lives and waits in another order than its trace.
  std::ranges::stable_sort(rows, [](const StatRow& a, const StatRow& b) {
    return std::tuple(b.sums.executing(), a.id, b.sums.life, b.sums.waiting(),
                      std::string_view(a.name)) < std::tuple(a.sums.executing(), b.id, a.sums.life,
                                                             a.sums.waiting(),
                                                             std::string_view(b.name));
  });
  return rows;
}

void Stat::function(const Span& span) {
  Ns inside = 0;
  each_part(span, [&inside](Ns from, Ns until) { inside += until - from; });
  const bool begins = has(span.start);
  if (inside == 0 && !begins) return;
  StatFunction& function = functions_[span.name];
  add_time(function.own, static_cast<Ns>(std::min(span.value, static_cast<std::uint64_t>(inside))));
  add_time(function.with_called, inside);
  if (!begins) return;
  ++function.calls;
  function.durations.add(span.duration);
}

std::vector<StatFunction> Stat::functions() const {
  std::vector<StatFunction> functions;
  for (const auto& [name, function] : functions_) {
    functions.push_back(function);
    functions.back().name = names_.text(name);
  }
  std::ranges::sort(functions, [](const StatFunction& a, const StatFunction& b) {
    return std::tie(b.own, a.name) < std::tie(a.own, b.name);
  });
  return functions;
}

std::vector<StatKind> Stat::kinds() const {
  // All that a thread executes is called by its own code, or interrupts it.
  std::array<Ns, 2> own_code{};
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    if (who_.pid(i) > 0) {
      own_code[threads_[i].kernel ? 1 : 0] += threads_[i].sums.executing();
    }
  }
  std::vector<StatKind> kinds;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    StatKind kind = kinds_[i];
    if (kind.own == 0 && kind.calls == 0) continue;
    kind.kind = static_cast<SpanKind>(i);
    if (!is_call_kind(kind.kind)) kind.with_called = kind.own;
    if (kind.kind == SpanKind::kUser) kind.with_called = own_code[0];
    if (kind.kind == SpanKind::kKernelThread) kind.with_called = own_code[1];
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace kutrace::reports
