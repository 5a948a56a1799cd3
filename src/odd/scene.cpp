// SPDX-License-Identifier: BSD-3-Clause
// Following threads and CPUs.
#include "odd/scene.h"

#include <algorithm>
#include <utility>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "reports/wait_times.h"

namespace kutrace::odd {

namespace {

bool is_idling(SpanKind kind) { return is_idle(kind) || kind == SpanKind::kCExit; }

Row occupant_of(const Span& span) {
  if (is_idle(span.kind)) return kIdleRow;
  if (span.kind == SpanKind::kCExit) return kIdleExitRow;
  return is_interrupt(span.kind) ? kInterruptRow : kNotToldRow;
}

}  // namespace

void Scene::Losses::add(const TimeWindow& loss) {
  until_ = std::max(until_, loss.end);
  if (!kept_.empty() && loss.begin <= kept_[last_].end && kept_[last_].begin <= loss.end) {
    TimeWindow& last = kept_[last_];
    last = {std::min(last.begin, loss.begin), std::max(last.end, loss.end)};
    return;
  }
  if (kept_.size() < kKeptLosses) {
    last_ = kept_.size();
    kept_.push_back(loss);
    return;
  }
  last_ = (last_ + 1) % kKeptLosses;
  not_kept_until_ = std::max(not_kept_until_, kept_[last_].end);
  kept_[last_] = loss;
}

Ns Scene::Losses::in(Ns begin, Ns end) const {
  const Ns since = std::min(end, std::max(begin, not_kept_until_));
  Ns sum = since - begin;
  for (const TimeWindow& loss : kept_) sum += overlap(loss.begin, loss.end, since, end);
  return std::min(sum, end - begin);
}

Scene::Thread& Scene::thread_at(Row row) {
  if (row >= threads_.size()) threads_.resize(row + std::size_t{1});
  return threads_[row];
}

void Scene::push(const Span& span) {
  if (is_execution(span.kind)) return execution(span);
  if (span.kind == SpanKind::kWait) {
    std::vector<Wait>& coming = thread_at(rows_.index(span.pid, span.thread)).coming;
    const Wait wait{.begin = span.start,
                    .end = span.start + span.duration,
                    .pid = span.pid,
                    .letter = reports::wait_letter(span.event)};
    coming.insert(std::ranges::upper_bound(coming, wait.end, {}, &Wait::end), wait);
  } else if (span.kind == SpanKind::kWakeupArc && span.other > 0) {
    thread_at(rows_.index(span.other)).wakeups.push_back({span.start, span.pid});
  } else if (span.kind == SpanKind::kFrequency && span.cpu != kNoCpu) {
    Cpu& cpu = cpu_at(span.cpu);
    std::vector<Span>& coming = cpu.frequencies;
    const auto end_of = [](const Span& one) { return one.start + one.duration; };
    coming.insert(std::ranges::upper_bound(coming, end_of(span), {}, end_of), span);
    // A page tells them after executions that reach over them.
    if (!cpu.runs.empty()) reach(cpu, cpu.runs[cpu.last].end);
  }
}

void Scene::life(const ThreadLife& life) {
  const Row row = rows_.life(life);
  if (rows_.lived(row) != kNoName) thread_at(row).name = rows_.lived(row);
}

void Scene::execution(const Span& span) {
  if (span.pid <= 0 || span.kind == SpanKind::kLoss || span.kind == SpanKind::kHidden) {
    return of_no_thread(span);
  }
  const Row row = rows_.index(span.pid, span.thread);
  if (!thread_at(row).coming.empty()) resume(row, span);
  if (threads_[row].cpu != span.cpu) moves(row, span);
  occupy(span, is_interrupt(span.kind) ? kInterruptRow : row);
  Thread& thread = threads_[row];
  thread.executed += span.duration;
  thread.until = span.start + span.duration;
  switch (span.kind) {
    case SpanKind::kUser:
    case SpanKind::kKernelThread:
      thread.name = span.name;
      thread.kernel = span.kind == SpanKind::kKernelThread;
      thread.call.open = false;
      break;
    case SpanKind::kSyscall:
      in_call(row, span);
      break;
    case SpanKind::kTrap:
      observer_->fault(span, row);
      break;
    case SpanKind::kIrq:
    case SpanKind::kSoftirq:
      observer_->interrupt(span);
      break;
    default:
      break;
  }
}

void Scene::of_no_thread(const Span& span) {
  const Row row = occupant_of(span);
  occupy(span, row);
  if (is_interrupt(span.kind)) observer_->interrupt(span);
  if (row != kNotToldRow) return;
  const bool unseen = span.kind == SpanKind::kLoss && span.low_arg() == KUTRACE_LOSS_UNSEEN;
  Losses& losses = unseen ? cpu_at(span.cpu).unseen : losses_;
  losses.add({span.start, span.start + span.duration});
}

Scene::Cpu& Scene::cpu_at(CpuId number) {
  if (number >= cpus_.size()) cpus_.resize(number + std::size_t{1});
  return cpus_[number];
}

void Scene::occupy(const Span& span, Row row) {
  Cpu& cpu = cpu_at(span.cpu);
  const Ns end = span.start + span.duration;
  work(cpu, span);
  const Run run{span.start, end, row};
  if (cpu.runs.empty()) cpu.runs_since = span.start;
  if (Run* const last = cpu.runs.empty() ? nullptr : &cpu.runs[cpu.last];
      last != nullptr && last->row == row && last->end == span.start) {
    last->end = end;
  } else if (cpu.runs.size() < most_runs_) {
    cpu.last = cpu.runs.size();
    cpu.runs.push_back(run);
  } else {
    cpu.last = (cpu.last + 1) % most_runs_;
    cpu.runs_since = cpu.runs[cpu.last].end;
    cpu.runs[cpu.last] = run;
  }
  if (!cpu.frequencies.empty()) reach(cpu, end);
}

void Scene::work(Cpu& cpu, const Span& span) {
  const Ns end = span.start + span.duration;
  if (!is_idling(span.kind)) {
    cpu.working.end = end;
    return;
  }
  if (cpu.working.end - cpu.working.begin >= kLongWork) {
    if (cpu.worked.size() < kKeptWork) cpu.worked.emplace_back();
    cpu.worked[cpu.next_worked++ % kKeptWork] = cpu.working;
  }
  cpu.working = {end, end};
}

void Scene::reach(Cpu& cpu, Ns end) {
  const auto is_over = [end](const Span& span) { return span.start + span.duration <= end; };
  for (const Span& span : cpu.frequencies) {
    if (!is_over(span)) break;
    observer_->frequency(span);
  }
  std::erase_if(cpu.frequencies, is_over);
}

void Scene::worked(CpuId number, Ns begin, Ns end,
                   const std::function<void(const TimeWindow&)>& visit) const {
  if (number >= cpus_.size()) return;
  const auto look = [&](const TimeWindow& work) {
    const bool is_long = work.end - work.begin >= kLongWork;
    if (is_long && overlap(work.begin, work.end, begin, end) > 0) visit(work);
  };
  for (const TimeWindow& work : cpus_[number].worked) look(work);
  look(cpus_[number].working);
}

void Scene::waits_in(Row row, Ns begin, Ns end,
                     const std::function<void(const Wait&)>& visit) const {
  const Thread& thread = threads_[row];
  const auto look = [&](const Wait& wait) {
    if (wait.letter != 0 && overlap(wait.begin, wait.end, begin, end) > 0)
      visit(part_of(wait, begin, end));
  };
  for (const Wait& wait : thread.waits) look(wait);
  for (const Wait& wait : thread.coming) look(wait);
}

Wait Scene::part_of(const Wait& wait, Ns begin, Ns end) const {
  if (begin <= wait.begin && wait.end <= end) return wait;
  Wait part = wait;
  part.begin = std::max(begin, wait.begin);
  part.end = std::min(end, wait.end);
  part.lost = wait.lost == 0 ? 0 : lost_in(part);
  if (wait.holder != kNoRow) find_holder(part);
  return part;
}

void Scene::keep(Thread& thread, const Wait& wait) {
  thread.waits[thread.next_wait] = wait;
  thread.next_wait = (thread.next_wait + 1) % kKeptWaits;
}

// All that was told of its waiting until then. Who is told may make the table of threads longer.
void Scene::resume(Row row, const Span& span) {
  std::size_t over = 0;
  for (; over < threads_[row].coming.size(); ++over) {
    const Wait wait = threads_[row].coming[over];
    if (wait.end > span.start) break;
    if (wait.letter == reports::kReady) {
      if (is_ready(threads_[row], wait, span.start)) was_ready(row, wait, span);
    } else {
      was_blocked(row, wait, span.start);
    }
  }
  Thread& thread = threads_[row];
  thread.coming.erase(thread.coming.begin(), thread.coming.begin() + static_cast<long>(over));
  std::erase_if(thread.wakeups, [&](const Wakeup& wakeup) { return wakeup.time <= span.start; });
}

// Which CPU it would have run on is not known: the one where it ran last, most likely.
void Scene::end(Ns end) {
  for (Row row = 0; row < threads_.size(); ++row) {
    if (threads_[row].cpu == kNoCpu) continue;
    for (const Wait& wait : std::exchange(threads_[row].coming, {})) {
      if (wait.letter != reports::kReady || wait.end < end) continue;
      Span resumed;
      resumed.cpu = threads_[row].cpu;
      resumed.start = wait.end;
      was_ready(row, wait, resumed);
    }
  }
}

// Among threads that had it as long, the one that appeared first.
void Scene::find_holder(Wait& wait) const {
  wait.holder = kNoRow;
  wait.held = 0;
  wait.held_by_name = 0;
  std::array<Ns, std::numeric_limits<Row>::max() - kNotToldRow + std::size_t{1}> others{};
  std::vector<Row> holders;
  const auto time_of = [&](Row row) -> Ns& {
    return is_thread(row) ? held_[row] : others[row - kNotToldRow];
  };
  held_.resize(threads_.size());
  wait.held_since = had_cpu(wait.cpu, wait.begin, wait.end, [&](Row row, Ns time) {
    Ns& sum = time_of(row);
    if (sum == 0) holders.push_back(row);
    sum += time;
    return true;
  });
  for (const Row row : holders) {
    const Ns time = time_of(row);
    if (time < wait.held || (time == wait.held && row > wait.holder)) continue;
    wait.holder = row;
    wait.held = time;
  }
  for (const Row row : holders) {
    const Ns time = std::exchange(time_of(row), 0);
    const bool counts = is_thread(wait.holder) && is_thread(row);
    if (counts && name_of(row) == name_of(wait.holder)) wait.held_by_name += time;
  }
}

// Where a trace does not tell how it left its CPU, only a wakeup proves it.
bool Scene::is_ready(const Thread& thread, const Wait& wait, Ns resumed) const {
  return tells_how_ || std::ranges::any_of(thread.wakeups, [&](const Wakeup& wakeup) {
           return wait.begin <= wakeup.time && wakeup.time <= resumed;
         });
}

Ns Scene::lost_in(const Wait& wait) const {
  if (wait.cpu >= cpus_.size()) return losses_.in(wait.begin, wait.end);
  const Ns unseen = cpus_[wait.cpu].unseen.in(wait.begin, wait.end);
  return std::min(wait.duration(), losses_.in(wait.begin, wait.end) + unseen);
}

// In a loss it may have run, and blocked. What says that it was ready says so of a short loss, too.
void Scene::leave_out_losses(Wait& wait) {
  const Losses& unseen = cpu_at(wait.cpu).unseen;
  if (lost_in(wait) * kMostLost > wait.duration()) {
    const Ns told_since = std::max(losses_.until(), unseen.until());
    wait.begin = std::max(wait.begin, std::min(wait.end, told_since));
  }
  wait.lost = lost_in(wait);
}

// One that was taken off its CPU waits for that. Which one another waits for shows where it ran
// then.
void Scene::was_ready(Row row, Wait wait, const Span& resumed) {
  Thread& thread = threads_[row];
  const bool was_taken_off = thread.until == wait.begin;
  wait.cpu = was_taken_off ? thread.cpu : resumed.cpu;
  if (wait.duration() < kLeastReady) return;  // as most are: losses make it only shorter
  leave_out_losses(wait);
  if (wait.known() < kLeastReady) return;
  const bool is_of_cpu = was_taken_off || resumed.start == wait.end;
  if (is_of_cpu && wait.duration() >= kLongReady) find_holder(wait);
  if (thread.call.open) wait.call = thread.call.name;
  keep(thread, wait);
  observer_->ready({row, wait, thread.cpu});
}

void Scene::was_blocked(Row row, const Wait& wait, Ns resumed) {
  Thread& thread = threads_[row];
  BlockedWait blocked{row, wait, kNoRow};
  if (thread.call.open) {
    thread.call.blocked += wait.duration();
    blocked.wait.call = thread.call.name;
  }
  // Of several wakeups the first ends a wait, and the last is told.
  for (const Wakeup& wakeup : thread.wakeups) {
    if (wakeup.time < wait.end || wakeup.time > resumed || wakeup.waker <= 0) continue;
    blocked.waker = rows_.index(wakeup.waker);
  }
  if (blocked.waker != kNoRow) thread_at(blocked.waker);
  keep(threads_[row], blocked.wait);
  observer_->blocked(blocked);
}

void Scene::moves(Row row, const Span& span) {
  Thread& thread = threads_[row];
  if (thread.cpu != kNoCpu) {
    observer_->moved({row, span.pid, span.start, thread.cpu, span.cpu, span.cpu == thread.before});
    thread.before = thread.cpu;
  }
  thread.cpu = span.cpu;
}

void Scene::in_call(Row row, const Span& span) {
  OpenCall& call = threads_[row].call;
  if (!call.open || call.name != span.name || call.id != span.call) {
    call = {.open = true, .id = span.call, .name = span.name, .arg = span.arg, .begin = span.start};
  }
  if (!span.has_result) return;
  call.open = false;
  observer_->call({.row = row,
                   .pid = span.pid,
                   .name = call.name,
                   .arg = call.arg,
                   .result = span.result.value,
                   .begin = call.begin,
                   .end = span.start + span.duration,
                   .blocked = call.blocked});
}

}  // namespace kutrace::odd
