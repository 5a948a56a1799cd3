// SPDX-License-Identifier: BSD-3-Clause
// Locks that threads waited for: those of the kernel by their contention, futexes by the waits in
// them. In: the points of group locks, waits, and who ended them, of the whole trace, and which of
// it counts; out: a row per lock. Of a wait counts what lies in the chosen windows of time, if
// anything of it does. A thread that sleeps on a futex until there is work for it is no contention,
// and its row says so.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time_window.h"
#include "format/group_times.h"
#include "model/names.h"
#include "model/span_sink.h"
#include "model/trace_info.h"
#include "reports/thread_names.h"

namespace kutrace::reports {

enum class LockKind : std::uint8_t {
  kSpin,
  kReadSpin,
  kWriteSpin,
  kMutex,
  kReadSemaphore,
  kWriteSemaphore,
  kRealTime,
  kPerCpu,
  kSemaphore,   // the kernel's counting semaphore
  kFutexLock,   // a word that says that somebody waits for a lock, or who has it
  kFutexOwned,  // FUTEX_LOCK_PI: the word holds the owner's number
  kFutexIdle,   // any other futex: a condition, a semaphore, the end of a thread
};
const char* lock_kind_name(LockKind kind);  // "mutex", "futex lock", ...
// Whether who waits for it is kept from going on by who holds it.
constexpr bool is_contention(LockKind kind) { return kind != LockKind::kFutexIdle; }

struct LockRow {
  LockKind kind = LockKind::kSpin;
  Pid process = kNoPid;  // of futexes
  std::string process_name;
  std::uint64_t address = 0;
  std::uint64_t waits = 0;
  std::uint64_t failed = 0;  // given up, as by a signal or after a time
  Ns total = 0;
  Ns longest = 0;
  std::uint64_t waiters = 0;  // threads
  Pid owner = kNoPid;         // that the word named last; kNoPid: not known
  std::string owner_name = {};
  Pid ended_by = kNoPid;  // the thread that ended most of the waits, where known
  std::string ended_by_name = {};
};

class LockWaits : public SpanSink {
 public:
  struct Part {
    std::vector<TimeWindow> windows;  // tidy; none: all of the time
    // Whether waits of a thread count; of none, those of interrupts on that CPU.
    std::function<bool(Pid, ThreadId, CpuId)> wants;  // none: all
  };

  explicit LockWaits(const NameTable& names, Part part = {})
      : names_(names), who_(names), part_(std::move(part)) {}
  void begin(const TraceInfo& known) override { groups_ = GroupTimes(known.facts); }
  void push(const Span& span) override;
  void call(const Call& call) override;
  void life(const ThreadLife& life) override { who_.life(life); }
  void end(TraceInfo& info) override;

  // Contended locks first, then most time first. What has not ended is not in it.
  std::vector<LockRow> rows(const TraceInfo& info) const;

 private:
  struct Key {
    LockKind kind = LockKind::kSpin;
    Pid thread = kNoPid;  // of futexes, until processes are known
    std::uint64_t address = 0;
    bool names_owner = false;  // if that is a thread of the process
    auto operator<=>(const Key&) const = default;
  };
  using Owner = std::optional<std::uint32_t>;  // row of who_; nothing: not known
  struct Sum {
    std::uint64_t waits = 0;
    std::uint64_t failed = 0;
    Ns total = 0;
    Ns longest = 0;
    std::set<Pid> waiters;
    Owner owner = {};
    std::map<std::uint32_t, std::uint64_t> ended_by;  // by row of who_
  };
  struct Contention {
    std::uint64_t address = 0;
    LockKind kind = LockKind::kSpin;
    Ns begin = 0;
  };
  struct FutexWait {
    Key key;
    ThreadId thread = ThreadId::kNone;
    Ns begin = 0;
    Owner owner = {};
    Ns slept = 0;                             // since when it waits
    Ns woken = -1;                            // when the wait ended; the first one counts
    std::optional<std::uint32_t> waker = {};  // row of the thread that ended it
  };
  bool is_seen_since(Ns begin, Ns now) const;
  void contended(const Span& span);
  void waits_for_futex(const Span& span);
  void count(Pid thread, const FutexWait& wait, bool failed);
  void count_outside_of_calls(Pid thread, const FutexWait& wait);
  bool wants(Pid pid, ThreadId thread, CpuId cpu) const {
    return !part_.wants || part_.wants(pid, thread, cpu);
  }
  std::optional<Ns> counted_time(Ns begin, Ns end) const;
  static void add(Sum& sum, Pid thread, Ns time);

  const NameTable& names_;
  ThreadNames who_;
  const Part part_;
  std::map<Key, Sum> sums_;
  // Of a thread, or of a CPU on which none runs; the newest last.
  std::map<std::pair<Pid, CpuId>, std::vector<Contention>> contentions_;
  std::unordered_map<Pid, FutexWait> futexes_;  // by the thread that waits
  GroupTimes groups_;
  Ns lost_until_ = 0;  // end of the last loss
  bool knows_calls_ = false;
};

}  // namespace kutrace::reports
