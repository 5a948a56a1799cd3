// SPDX-License-Identifier: BSD-3-Clause
// Locks for which threads queue: whoever gets it had waited, and others wait already.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "base/add_time.h"
#include "base/counted.h"
#include "model/by_name.h"
#include "odd/detectors.h"
#include "odd/lock_waits.h"
#include "odd/windows.h"

namespace kutrace::odd {

namespace {

// Somebody waits at any time of a window ...
constexpr Ns kLeastWaiting = kWindow;
// ... and the lock goes from one who waited to the next, again and again.
constexpr std::uint64_t kLeastTurns = 8;

struct Longest {
  Row row = kNoRow;
  Row holder = kNoRow;
  Ns time = 0;
};

// Waits in calls that got the lock, and those of them that a holder ended who had waited, too.
struct Queue {
  Ns time = 0;
  std::uint64_t waits = 0;
  std::uint64_t turns = 0;
  TimeWindow calls{kForever, 0};    // from the begin of the first to the end of the last
  TimeWindow returns{kForever, 0};  // of these calls
  Longest longest{};

  void add(const Queue& more) {
    add_time(time, more.time);
    waits += more.waits;
    turns += more.turns;
    calls = around(calls, more.calls);
    returns = around(returns, more.returns);
    if (more.longest.time > longest.time) longest = more.longest;
  }

 private:
  static constexpr Ns kForever = std::numeric_limits<Ns>::max();

  static TimeWindow around(const TimeWindow& one, const TimeWindow& other) {
    return {std::min(one.begin, other.begin), std::max(one.end, other.end)};
  }
};

// What a window costs, if threads queue in it.
Ns cost_of(const Queue& window) {
  return window.time >= kLeastWaiting && window.turns >= kLeastTurns ? window.time : 0;
}

// Who queues for a lock does so from the first window of that sort to the last.
class Convoy {
 public:
  void add(Ns time, const Queue& more) {
    windows_.at(time, [this](const Queue& window) { return judge(window); }).add(more);
  }
  void finish() {
    windows_.finish([this](const Queue& window) { return judge(window); });
  }

  bool found() const { return windows_.storms().count > 0; }
  const TimeWindow& worst() const { return windows_.storms().worst; }
  const Queue& all() const { return all_; }

 private:
  Ns judge(const Queue& window) {
    const Ns cost = cost_of(window);
    if (cost > 0) {
      all_.add(since_last_);
      all_.add(window);
      since_last_ = {};
    } else if (all_.waits > 0) {
      since_last_.add(window);
    }
    return cost;
  }

  Windows<Queue> windows_;
  Queue all_;
  Queue since_last_;  // that window
};

// Counts and sums up the same waits. No report knows locks by their addresses if the group `locks`
// was not recorded.
std::string waits_for(std::uint64_t address, const TimeWindow& returns) {
  return fmt::format(
      "query -e \"select count(*) waits, sum(wait_ns - ready_ns) / 1e6 total_ms from calls where "
      "name like 'futex%' and arg = {:#x} and error is null and wait_ns > ready_ns and end_ns "
      "between {} and {}\"",
      address, returns.begin, returns.end);
}

class LockConvoy : public Detector {
 public:
  LockConvoy(const Scene& /*scene*/, const NameTable& names)
      : is_futex_(names, [](std::string_view call) { return call.starts_with("futex"); }) {}

  void call(const ReturnedCall& call) override {
    if (call.blocked == 0 || call.result < 0 || !is_futex_.of(call.name)) return;
    convoys_[call.arg].add(call.end, {.time = call.blocked,
                                      .waits = 1,
                                      .calls = {call.begin, call.end},
                                      .returns = {call.end, call.end}});
  }

  void lock(const LockWait& wait) override {
    convoys_[wait.lock].add(wait.end, {.turns = wait.in_turn ? std::uint64_t{1} : 0,
                                       .longest = {wait.row, wait.holder, wait.duration()}});
  }

  void report(const Told& told, const Give& give) override {
    for (auto& [address, convoy] : convoys_) {
      convoy.finish();
      const Queue& all = convoy.all();
      if (!convoy.found() || !told.locks.is_lock(all.longest.row, address)) continue;
      give({.cost = all.time,
            .when = convoy.worst(),
            .row = all.longest.row,
            .words = fmt::format(
                "threads queued for the lock at ...{:04x}: {} and {} in all, {} of them for one "
                "who had waited itself; the longest was that of {}, {} for {}",
                address & 0xffff, counted(all.waits, "wait", "waits"), lasting(all.time),
                grouped(all.turns), told.who(all.longest.row), lasting(all.longest.time),
                told.who(all.longest.holder)),
            .command = told.can_query
                           ? waits_for(address, all.returns)
                           : fmt::format("blame --wait lock --pid {} {}",
                                         told.process_of(all.longest.row), from_to(all.calls))});
    }
  }

 private:
  ByName<bool> is_futex_;
  std::unordered_map<std::uint64_t, Convoy> convoys_;  // by address
};

}  // namespace

const DetectorKind kLockConvoy = {
    "lock-convoy",
    "lock convoys",
    [] {
      return fmt::format(
          "waits for one lock in futex add up to {} within {}, and {} of them are for a thread "
          "that had waited for it itself",
          lasting(kLeastWaiting), lasting(kWindow), kLeastTurns);
    },
    kHearsCalls | kHearsLocks,
    make_detector<LockConvoy>,
    true,
    {EventGroup::kSyscalls, EventGroup::kWakeups}};

}  // namespace kutrace::odd
