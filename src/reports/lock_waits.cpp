// SPDX-License-Identifier: BSD-3-Clause
// From points and waits to sums.
#include "reports/lock_waits.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/add_time.h"
#include "format/event_table.h"
#include "reports/thread_groups.h"

namespace kutrace::reports {

namespace {

// Flags of lock:contention_begin.
constexpr std::uint64_t kSpins = 1;
constexpr std::uint64_t kReads = 2;
constexpr std::uint64_t kWrites = 4;
constexpr std::uint64_t kRealTimeFlag = 8;
constexpr std::uint64_t kPerCpuFlag = 16;
constexpr std::uint64_t kMutexFlag = 32;

// Operations of futex(2), without its flags.
constexpr std::uint32_t kOperation = 0x7f;
constexpr std::uint32_t kWaitOperation = 0;
constexpr std::uint32_t kLockPi = 6;
constexpr std::uint32_t kWaitBitset = 9;
constexpr std::uint32_t kWaitRequeuePi = 11;
constexpr std::uint32_t kLockPi2 = 13;
constexpr std::uint32_t kOwner = 0x3fffffff;    // FUTEX_TID_MASK
constexpr std::uint32_t kWaiters = 0x80000000;  // FUTEX_WAITERS, beside an owner
// What mutexes of glibc, musl and Rust put into their word when somebody waits.
constexpr std::uint32_t kLockedWithWaiters = 2;

LockKind kernel_kind(std::uint64_t flags) {
  const bool spins = (flags & kSpins) != 0;
  if ((flags & kMutexFlag) != 0) return LockKind::kMutex;
  if ((flags & kPerCpuFlag) != 0) return LockKind::kPerCpu;
  if ((flags & kRealTimeFlag) != 0) return LockKind::kRealTime;
  if ((flags & kReads) != 0) return spins ? LockKind::kReadSpin : LockKind::kReadSemaphore;
  if ((flags & kWrites) != 0) return spins ? LockKind::kWriteSpin : LockKind::kWriteSemaphore;
  return spins ? LockKind::kSpin : LockKind::kSemaphore;
}

bool names_owner(std::uint32_t word) { return (word & kWaiters) != 0 && (word & kOwner) != 0; }

// Nothing: who does that does not wait.
std::optional<LockKind> futex_kind(std::uint32_t operation, std::uint32_t expected) {
  switch (operation & kOperation) {
    case kLockPi:
    case kLockPi2:
      return LockKind::kFutexOwned;
    case kWaitOperation:
    case kWaitBitset:
      return expected == kLockedWithWaiters || names_owner(expected) ? LockKind::kFutexLock
                                                                     : LockKind::kFutexIdle;
    case kWaitRequeuePi:
      return LockKind::kFutexIdle;
    default:
      return std::nullopt;
  }
}

const ThreadInfo* thread_info(const TraceInfo& info, Pid pid) {
  const auto found = info.threads.find(pid);
  return found == info.threads.end() ? nullptr : &found->second;
}

}  // namespace

const char* lock_kind_name(LockKind kind) {
  switch (kind) {
    case LockKind::kSpin:
      return "spinlock";
    case LockKind::kReadSpin:
      return "rwlock read";
    case LockKind::kWriteSpin:
      return "rwlock write";
    case LockKind::kMutex:
      return "mutex";
    case LockKind::kReadSemaphore:
      return "rwsem read";
    case LockKind::kWriteSemaphore:
      return "rwsem write";
    case LockKind::kRealTime:
      return "rtmutex";
    case LockKind::kPerCpu:
      return "percpu rwsem";
    case LockKind::kSemaphore:
      return "semaphore";
    case LockKind::kFutexLock:
      return "futex lock";
    case LockKind::kFutexOwned:
      return "futex pi";
    case LockKind::kFutexIdle:
      return "futex idle";
  }
  return "unknown";
}

void LockWaits::add(Sum& sum, Pid thread, Ns time) {
  ++sum.waits;
  add_time(sum.total, time);
  sum.longest = std::max(sum.longest, time);
  sum.waiters.insert(thread);
}

// What of a wait lies in the windows; nothing: none of it does.
std::optional<Ns> LockWaits::counted_time(Ns begin, Ns end) const {
  const std::vector<TimeWindow>& windows = part_.windows;
  if (windows.empty()) return end - begin;
  // One that took no time lies in one, too.
  if (!overlaps(windows, begin, std::max(end, begin + 1))) return std::nullopt;
  Ns time = 0;
  each_part(windows, begin, end, [&time](Ns from, Ns to) { time += to - from; });
  return time;
}

// Whether all that was said of locks since then was seen.
bool LockWaits::is_seen_since(Ns begin, Ns now) const {
  return begin >= lost_until_ && groups_.was_on(EventGroup::kLocks, begin, now);
}

// A mutex that is first spun for says twice that it is waited for; what is said again behind a loss
// may be another wait.
void LockWaits::contended(const Span& span) {
  std::vector<Contention>& open = contentions_[{span.pid, span.pid > 0 ? CpuId{0} : span.cpu}];
  const auto same = std::ranges::find(open, span.arg, &Contention::address);
  if (span.event == ev::kCONTENTION_BEGIN) {
    if (same == open.end())
      open.push_back({span.arg, kernel_kind(span.value), span.start});
    else if (!is_seen_since(same->begin, span.start))
      *same = {span.arg, kernel_kind(span.value), span.start};
    return;
  }
  if (same == open.end()) return;
  const Contention over = *same;
  open.erase(same, open.end());  // what is newer ended unseen
  const auto time = counted_time(over.begin, span.start);
  if (!time || !wants(span.pid, span.thread, span.cpu)) return;
  Sum& sum = sums_[{over.kind, kNoPid, span.arg}];
  add(sum, span.pid, *time);
  if (span.has_result && span.result.value != 0) ++sum.failed;
}

void LockWaits::waits_for_futex(const Span& span) {
  const auto expected = static_cast<std::uint32_t>(span.value >> 32);
  const auto kind = futex_kind(static_cast<std::uint32_t>(span.value), expected);
  if (!kind) return;
  FutexWait& wait = futexes_[span.pid];
  count_outside_of_calls(span.pid, wait);
  wait = {.key = {*kind, span.pid, span.arg}, .thread = span.thread, .begin = span.start};
  if (*kind == LockKind::kFutexOwned && span.result.value >= 0)
    wait.owner = who_.row(static_cast<Pid>(static_cast<std::uint32_t>(span.result.value) & kOwner));
  if (*kind == LockKind::kFutexLock && names_owner(expected)) {
    wait.key.names_owner = true;
    wait.owner = who_.row(static_cast<Pid>(expected & kOwner));
  }
}

// Of a wait that was given up, nobody gave the lock back.
void LockWaits::count(Pid thread, const FutexWait& wait, bool failed) {
  if (wait.woken < 0 || !wants(thread, wait.thread, kNoCpu)) return;
  const auto time = counted_time(wait.slept, wait.woken);
  if (!time) return;
  Sum& sum = sums_[wait.key];
  add(sum, thread, *time);
  if (wait.owner) sum.owner = wait.owner;
  if (failed)
    ++sum.failed;
  else if (wait.waker)
    ++sum.ended_by[*wait.waker];
}

// Before and after a call its registers say the same, where a debugger stops the thread.
void LockWaits::count_outside_of_calls(Pid thread, const FutexWait& wait) {
  if (!knows_calls_) count(thread, wait, false);
}

void LockWaits::push(const Span& span) {
  if (span.kind == SpanKind::kPoint) {
    if (span.event == ev::kCONTENTION_BEGIN || span.event == ev::kCONTENTION_END) contended(span);
    if (span.event == ev::kFUTEX_WAIT) waits_for_futex(span);
    return;
  }
  if (span.kind == SpanKind::kLoss) lost_until_ = std::max(lost_until_, span.start + span.duration);
  const bool wakes = span.kind == SpanKind::kWakeupArc;
  if (!wakes && span.kind != SpanKind::kWait) return;
  const auto found = futexes_.find(wakes ? span.other : span.pid);
  if (found == futexes_.end()) return;
  FutexWait& wait = found->second;
  if (wakes) {  // when the thread runs again
    if (wait.woken == span.start && span.pid > 0) wait.waker = who_.row(span.pid, span.thread);
    return;
  }
  const bool is_ready = span.event == ev::kWAIT_FIRST + ('c' - 'a');
  if (is_ready || span.start < wait.begin || wait.woken >= 0) return;
  wait.slept = span.start;
  wait.woken = span.start + span.duration;
}

void LockWaits::call(const Call& call) {
  if (call.kind != SpanKind::kSyscall) return;
  knows_calls_ = true;
  const auto found = futexes_.find(call.pid);
  if (found == futexes_.end()) return;
  const FutexWait& wait = found->second;
  if (call.begin > wait.begin || wait.begin > call.end) return;
  count(call.pid, wait, call.has_result && call.result.value < 0);
  futexes_.erase(found);
}

void LockWaits::end(TraceInfo& info) {
  for (const auto& [pid, wait] : futexes_) count_outside_of_calls(pid, wait);
  futexes_.clear();
  who_.finish(info);
}

std::vector<LockRow> LockWaits::rows(const TraceInfo& info) const {
  std::map<Key, Sum> merged;
  for (const auto& [key, sum] : sums_) {
    Key of = key;
    const ThreadInfo* const thread = thread_info(info, key.thread);
    if (thread != nullptr && thread->process != kNoPid) of.thread = thread->process;
    const ThreadInfo* const owner =
        key.names_owner && sum.owner ? thread_info(info, who_.pid(*sum.owner)) : nullptr;
    const bool is_owner = owner != nullptr && owner->process == of.thread;
    if (key.names_owner && !is_owner)
      of.kind = LockKind::kFutexIdle;  // that word means something else
    of.names_owner = false;
    Sum& all = merged[of];
    all.waits += sum.waits;
    all.failed += sum.failed;
    add_time(all.total, sum.total);
    all.longest = std::max(all.longest, sum.longest);
    all.waiters.insert(sum.waiters.begin(), sum.waiters.end());
    if (sum.owner && (!key.names_owner || is_owner)) all.owner = sum.owner;
    for (const auto& [row, times] : sum.ended_by) all.ended_by[row] += times;
  }
  // Of those that ended as many, the first by number, not by appearance.
  const auto times_and_number = [this](const auto& ended) {
    return std::tuple(ended.second, -who_.pid(ended.first));
  };
  std::vector<LockRow> rows;
  for (const auto& [key, sum] : merged) {
    if (sum.waits == 0) continue;
    LockRow row{.kind = key.kind,
                .process = key.thread,
                .process_name = thread_name(key.thread, info, names_),
                .address = key.address,
                .waits = sum.waits,
                .failed = sum.failed,
                .total = sum.total,
                .longest = sum.longest,
                .waiters = sum.waiters.size()};
    if (sum.owner) {
      row.owner = who_.pid(*sum.owner);
      row.owner_name = who_.name(*sum.owner, info);
    }
    const auto most = std::ranges::max_element(sum.ended_by, {}, times_and_number);
    if (most != sum.ended_by.end()) {
      row.ended_by = who_.pid(most->first);
      row.ended_by_name = who_.name(most->first, info);
    }
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, [](const LockRow& a, const LockRow& b) {
    return std::tuple(!is_contention(a.kind), -a.total) <
           std::tuple(!is_contention(b.kind), -b.total);
  });
  return rows;
}

}  // namespace kutrace::reports
