// SPDX-License-Identifier: BSD-3-Clause
// Walking back.
#include "reports/critical_path.h"

#include <algorithm>
#include <ranges>

#include "base/check.h"
#include "format/machine_fact.h"
#include "reports/ready_times.h"
#include "reports/wait_times.h"

namespace kutrace::reports {

namespace {

CauseKind executed_as(SpanKind kind) {
  switch (kind) {
    case SpanKind::kSyscall:
      return CauseKind::kCall;
    case SpanKind::kTrap:
      return CauseKind::kFault;
    case SpanKind::kScheduler:
      return CauseKind::kScheduler;
    case SpanKind::kIrq:
      return CauseKind::kInterrupt;
    case SpanKind::kSoftirq:
      return CauseKind::kSoftirq;
    default:
      return CauseKind::kUser;
  }
}

// What an interrupt ended, by the reason of the wait.
CauseKind ended_by_interrupt(char letter) {
  switch (letter) {
    case 't':
      return CauseKind::kTimer;
    case 'd':
      return CauseKind::kDisk;
    case 'n':
      return CauseKind::kNetwork;
    default:
      return CauseKind::kDevice;
  }
}

}  // namespace

void CriticalPath::flush() {
  if (open_.begin < open_.end) (*sink_)(open_);
  open_ = {};
}

// From there to `now_`, which goes back to it.
void CriticalPath::put(Ns from, CpuId cpu, Cause cause) {
  check(from < now_, "a piece of a path has a length");
  cause.waited = waited_.letter;
  cause.of_lock = waited_.of_lock;
  // Pieces come latest first, so one that goes on ends where the open one begins.
  const bool goes_on =
      open_.begin == now_ && open_.begin < open_.end && open_.cpu == cpu && open_.cause == cause;
  if (!goes_on) {
    flush();
    open_ = {from, now_, cpu, cause};
  }
  open_.begin = from;
  now_ = from;
}

void CriticalPath::executed(const Piece& piece, Ns from) {
  Cause cause{.kind = executed_as(piece.kind), .thread = piece.row};
  if (!is_user(piece.kind)) cause.name = piece.name;
  put(from, piece.cpu, cause);
}

void CriticalPath::unknown(Ns from, ThreadRow row) {
  put(from, kNoCpu,
      {.kind = CauseKind::kUnknown, .thread = row, .cpu = happenings_.lost(from, now_)});
}

// What the CPU did before `now_`, of those that a ready thread left and ran on next. It lasted from
// `from` on; null: nothing is told of that time.
const Piece* CriticalPath::in_front_of(CpuId left, CpuId next, Ns& from) const {
  // The queue that it stood in: that of the CPU it left, until that one idles, then that of the one
  // it ran on next.
  for (const CpuId cpu : {left, next}) {
    const Piece* had = happenings_.of_cpu(cpu, now_);
    if (had == nullptr) continue;
    const bool is_told = had->end >= now_;
    from = std::max(from, is_told ? had->begin : had->end);
    if (is_told && (cpu == next || keeps_others(*had))) return had;
  }
  return nullptr;
}

// Its CPU did something else meanwhile.
void CriticalPath::was_ready(const Piece& wait, Ns from) {
  const auto [left, next] = cpus_of_wait(happenings_, wait);
  while (now_ > from) {
    Ns begin = from;
    const Piece* had = in_front_of(left, next, begin);
    if (had == nullptr) {
      unknown(begin, wait.row);
      continue;
    }
    const Cause cause = ready_cause(*had, wait.row);
    put(begin, had->cpu, cause);
  }
}

void CriticalPath::blocked_for(CauseKind kind, const Piece& wait, Ns from, ThreadRow waker,
                               NameId routine) {
  // The interval's thread itself waits: that is the reason, whoever ends it.
  const Waited followed_for = waited_;
  if (waited_.letter == 0) waited_ = {wait.letter, wait.of_lock};
  put(from, kNoCpu,
      {.kind = kind,
       .at_end = waker == kNoRow && routine == kNoName && happenings_.lasts_to_end(wait),
       .thread = wait.row,
       .other = waker,
       .name = wait.name,
       .waker = routine,
       .file = happenings_.file_of(wait)});
  waited_ = followed_for;
}

// Interrupts that follow each other, of which that is the last.
const Piece* CriticalPath::first_of_interrupts(const Piece& interrupt) const {
  const Piece* first = &interrupt;
  for (const Piece* before = happenings_.before_on_cpu(*first);
       before != nullptr && is_interrupt(before->kind) && before->end == first->begin;
       before = happenings_.before_on_cpu(*first)) {
    first = before;
  }
  return first;
}

// A softirq that begins in a thread's call does that thread's work (a packet to the machine itself
// arrives there); one that begins behind an interrupt does the interrupt's, and so does one of a
// disk or timer, which in a call begins only a moment behind its interrupt. Null: nobody's that is
// known, as of those that ksoftirqd runs.
const Piece* CriticalPath::born_of(const Piece& softirq) const {
  const Piece* first = first_of_interrupts(softirq);
  if (first->kind == SpanKind::kIrq) return first;
  if (softirq.ends_requests) return nullptr;
  const Piece* before = happenings_.before_on_cpu(*first);
  const bool is_thread_s = before != nullptr && before->end == first->begin &&
                           before->row != kNoRow && before->kind != SpanKind::kUser &&
                           !before->runs_softirqs;
  return is_thread_s ? before : nullptr;
}

// Who on another machine sent that packet during the wait.
CriticalPath::Sender CriticalPath::sender(const Piece& wait, const Packet& got, Ns from) const {
  const Pid machine = machine_of_thread(happenings_.pid_of(wait.row));
  for (const Packet& sent : std::views::reverse(happenings_.sent(got.hash, from, got.time))) {
    const Piece* at = happenings_.of_cpu(sent.cpu, sent.time + 1);
    if (at == nullptr || at->end < sent.time) continue;
    if (at->kind == SpanKind::kSoftirq) at = born_of(*at);
    if (at == nullptr || at->row == kNoRow) continue;
    if (machine_of_thread(happenings_.pid_of(at->row)) != machine) return {at, sent.time};
  }
  return {};
}

// Of packets before a wakeup. The last one's, unless others came from somebody else: a softirq may
// take several before it wakes those whom they are for.
CriticalPath::Sender CriticalPath::only_sender(const Piece& wait, std::span<const Packet> got,
                                               Ns from) const {
  if (got.empty()) return {};
  const Sender last = sender(wait, got.back(), from);
  if (last.piece == nullptr) return {};
  for (const Packet& packet : got.first(got.size() - 1)) {
    const Sender one = sender(wait, packet, from);
    if (one.piece != nullptr && one.piece->row != last.piece->row) return {};
  }
  return last;
}

// The thread whose piece that is did it; what it did since the wait began comes next.
void CriticalPath::follow(const Piece& wait, const Piece& source, Ns from) {
  const ThreadRow waker = source.row;
  const bool is_followed = std::ranges::any_of(
      followed_, [&](const Followed& followed) { return followed.row == waker; });
  // Each thread is on the way once, and the way no longer than was asked for.
  if (waker == kNoRow || is_followed || followed_.size() > most_wakers_) {
    const NameId call = is_user(source.kind) ? kNoName : source.name;
    return blocked_for(CauseKind::kWaker, wait, from, waker, call);
  }
  // All that is found from here on is what the interval's own thread waited for.
  if (followed_.size() == 1) waited_ = {wait.letter, wait.of_lock};
  followed_.push_back({waker, from});
}

void CriticalPath::was_woken_by(const Piece& wait, const Wakeup& wakeup, Ns from) {
  // What ran at the wakeup, not what ended with it.
  const Piece* at = happenings_.of_cpu(wakeup.cpu, wakeup.time + 1);
  if (at == nullptr || at->end < wakeup.time) {
    return blocked_for(CauseKind::kWaker, wait, from, kNoRow, kNoName);
  }
  const bool takes_packets = at->kind == SpanKind::kSoftirq && !at->ends_requests;
  if (takes_packets && happenings_.has_machines()) {
    const Ns begin = first_of_interrupts(*at)->begin;
    const Sender by = only_sender(wait, happenings_.received(at->cpu, begin, wakeup.time), from);
    if (by.piece != nullptr) {
      blocked_for(CauseKind::kNetwork, wait, by.time, by.piece->row, at->name);
      return follow(wait, *by.piece, from);
    }
  }
  const Piece* source = at->kind == SpanKind::kSoftirq ? born_of(*at) : at;
  if (is_interrupt(at->kind) && (source == nullptr || is_interrupt(source->kind))) {
    return blocked_for(ended_by_interrupt(wait.letter), wait, from, kNoRow, at->name);
  }
  follow(wait, *source, from);
}

void CriticalPath::was_blocked(const Piece& wait, Ns from) {
  // It goes on behind the interval, or behind the time at which the thread woke another.
  const Wakeup* wakeup = wait.end == now_ ? happenings_.wakeup(wait.row, wait.end) : nullptr;
  if (wakeup != nullptr) return was_woken_by(wait, *wakeup, from);
  const bool tells_nothing = wait.letter == kUnexplained && wait.name == kNoName;
  blocked_for(tells_nothing ? CauseKind::kUnknown : CauseKind::kWaker, wait, from, kNoRow, kNoName);
}

void CriticalPath::step() {
  const Followed& last = followed_.back();
  // Back at the begin of the wait that it ended: from there on the way is that of the thread which
  // waited.
  if (now_ <= last.floor) {
    followed_.pop_back();
    if (followed_.size() == 1) waited_ = {};
    return;
  }
  const Piece* piece = happenings_.of_thread(last.row, now_);
  if (piece == nullptr || piece->end < now_) {
    // The trace has a hole. The way goes on before it: unknown is a cause of that time alone.
    const Ns from = piece == nullptr ? last.floor : std::max(last.floor, piece->end);
    return unknown(from, last.row);
  }
  const Ns from = std::max(last.floor, piece->begin);
  if (piece->kind != SpanKind::kWait) return executed(*piece, from);
  return piece->letter == kReady ? was_ready(*piece, from) : was_blocked(*piece, from);
}

void CriticalPath::walk(const Interval& interval, const Sink& sink) {
  Ns told = 0;
  const Sink count = [&](const PathPiece& piece) {
    told += piece.duration();
    sink(piece);
  };
  sink_ = &count;
  open_ = {};
  waited_ = {};
  now_ = interval.end;
  followed_.assign(1, {happenings_.row_of(interval.pid, interval.thread), interval.begin});
  while (!followed_.empty()) step();
  flush();
  sink_ = nullptr;
  // The law of latency, asked of each answer.
  check(told == interval.duration(), "causes of an interval add up to its time");
}

}  // namespace kutrace::reports
