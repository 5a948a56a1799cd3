// SPDX-License-Identifier: BSD-3-Clause
// Finding waits for locks.
#include "odd/lock_waits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/add_time.h"
#include "model/native_call.h"
#include "reports/wait_times.h"

namespace kutrace::odd {

namespace {

constexpr char kLock = 'l';

// Who was woken and finds that another was faster tries for so long at most before it waits again.
constexpr Ns kLongestTry = 50'000;
// Addresses of which a trace holds the low bits may be those of several locks.
constexpr std::uint64_t kMostAsOwner = 10;  // percent of all waits

// The network, a pipe, another process: something that happens elsewhere.
bool is_event(char letter) { return letter == 'n' || letter == 'p' || letter == 'k'; }

bool waits_for_events(std::string_view call) {
  constexpr std::array<std::string_view, 10> kCalls = {
      "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll",    "ppoll",
      "select",     "pselect6",    "io_getevents", "accept4", "accept"};
  return std::ranges::find(kCalls, call) != kCalls.end();
}

}  // namespace

std::string why_at_end(const LockWait& wait) {
  return fmt::format("why --at {}@{:.9f}s", wait.pid, static_cast<double>(wait.end - 1) / 1e9);
}

LockWaits::In LockWaits::kind_of(std::string_view call) {
  if (call.starts_with("futex")) return In::kFutex;
  return waits_for_events(native_call(call)) ? In::kEvents : In::kOther;
}

LockWaits::Thread& LockWaits::thread_at(Row row) {
  if (row >= threads_.size()) threads_.resize(row + std::size_t{1});
  return threads_[row];
}

void LockWaits::blocked(const BlockedWait& wait) {
  if (wait.wait.letter == kLock && is_thread(wait.waker)) thread_at(wait.row).last = wait;
}

bool LockWaits::is_lock(Row row, std::uint64_t lock) const {
  if (row >= threads_.size()) return false;
  const auto use = threads_[row].uses.find(lock);
  return use != threads_[row].uses.end() &&
         use->second.waited_as_owner * 100 <= use->second.waits * kMostAsOwner;
}

void LockWaits::call(const ReturnedCall& call) {
  const bool futex = kind_of_.of(call.name) == In::kFutex;
  if (!futex || call.result >= 0) ++thread_at(call.row).calls;
  if (!futex || call.result < 0) return;
  if (call.blocked > 0) {
    acquired(call);
  } else {
    released(call);
  }
}

void LockWaits::acquired(const ReturnedCall& call) {
  Thread& thread = thread_at(call.row);
  const Wait& wait = thread.last.wait;
  if (thread.last.row != call.row || wait.begin < call.begin || wait.end > call.end) return;
  LockWait found{.lock = call.arg,
                 .row = call.row,
                 .pid = wait.pid,
                 .holder = thread.last.waker,
                 .begin = wait.begin,
                 .end = wait.end,
                 .calls = thread.calls,
                 .executed = scene_.executed(call.row)};
  Ns held_since = found.begin;
  if (found.holder < threads_.size()) {
    const Thread& holder = threads_[found.holder];
    found.in_turn = holder.last_lock == call.arg && holder.got > found.begin;
    if (found.in_turn) held_since = holder.got;
  }
  look_at_holder(found, held_since);
  LockUse& use = thread.uses[call.arg];
  ++use.waits;
  for (LockWait& held : thread.held) {
    if (held.row != call.row || held.lock != call.arg) continue;
    if (owns(call.row, held)) {
      ++use.waited_as_owner;
      held.row = kNoRow;
    } else {  // it tried again
      held.calls = found.calls;
      held.executed = found.executed;
    }
  }
  thread.held[thread.next] = found;
  thread.next = (thread.next + 1) % kMostHeld;
  thread.last_lock = call.arg;
  thread.got = call.end;
}

// Whether it went on with what it had waited for, rather than tried again: made a call but this
// one, or did something for longer than a try takes.
bool LockWaits::owns(Row row, const LockWait& held) const {
  return threads_[row].calls > held.calls + 1 || scene_.executed(row) - held.executed > kLongestTry;
}

void LockWaits::released(const ReturnedCall& call) {
  if (call.row >= threads_.size()) return;
  for (LockWait& held : threads_[call.row].held) {
    if (held.row != call.row || held.lock != call.arg) continue;
    found_(held);
    held.row = kNoRow;
  }
}

void LockWaits::look_at_holder(LockWait& wait, Ns since) {
  scene_.waits_in(wait.holder, since, wait.end, [&](const Wait& inside) {
    const bool ready = inside.letter == reports::kReady;
    const bool in_event = inside.call != kNoName && kind_of_.of(inside.call) != In::kOther;
    if (!ready && (in_event || is_event(inside.letter))) return;
    add_time(ready ? wait.ready : wait.blocked, inside.duration());
    Wait& longest = ready ? wait.longest_ready : wait.longest_blocked;
    if (inside.duration() > longest.duration()) longest = inside;
  });
}

}  // namespace kutrace::odd
