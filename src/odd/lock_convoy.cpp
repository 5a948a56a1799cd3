// SPDX-License-Identifier: BSD-3-Clause
// Locks for which threads queue: whoever gets it had waited, and others wait already.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/counted.h"
#include "odd/detectors.h"
#include "odd/lock_waits.h"
#include "odd/windows.h"

namespace kutrace::odd {

namespace {

// Somebody waits at any time of a window ...
constexpr Ns kLeastWaiting = kWindow;
// ... and the lock goes from one who waited to the next, again and again.
constexpr std::uint64_t kLeastTurns = 8;

struct Queue {
  Ns time = 0;
  std::uint64_t waits = 0;
  std::uint64_t turns = 0;
  TimeWindow when;  // from the first to the last
  LockWait longest;

  void add(const Queue& more) {
    when = waits == 0 ? more.when
                      : TimeWindow{std::min(when.begin, more.when.begin),
                                   std::max(when.end, more.when.end)};
    time += more.time;
    waits += more.waits;
    turns += more.turns;
    if (more.longest.duration() > longest.duration()) longest = more.longest;
  }
};

Ns cost_of(const Queue& window) {
  return window.time >= kLeastWaiting && window.turns >= kLeastTurns ? window.time : 0;
}

// Counts and sums up the waits in calls that got the lock. No report knows locks by their addresses
// if the group `locks` was not recorded.
std::string waits_for(std::uint64_t address, const TimeWindow& when) {
  return fmt::format(
      "query -e \"select count(*) waits, sum(dur_ns) / 1e6 total_ms from waits where name = 'lock' "
      "and start_ns >= {} and end_ns <= {} and call_id in (select id from calls where name like "
      "'futex%' and arg = {:#x} and error is null)\"",
      when.begin, when.end, address);
}

class LockConvoy : public Detector {
 public:
  LockConvoy(const Scene& /*scene*/, const NameTable& /*names*/) {}

  void lock(const LockWait& wait) override {
    locks_[wait.lock]
        .at(wait.end, cost_of)
        .add({.time = wait.duration(),
              .waits = 1,
              .turns = wait.in_turn ? std::uint64_t{1} : 0,
              .when = {wait.begin, wait.end},
              .longest = wait});
  }

  void report(const Told& told, const Give& give) override {
    for (auto& [address, windows] : locks_) {
      windows.finish(cost_of);
      const Cases& convoys = windows.storms();
      if (convoys.count == 0) continue;
      const Queue& all = windows.in_storms();
      if (!told.locks.is_lock(all.longest.row, address)) continue;
      give({.cost = convoys.cost,
            .when = convoys.worst,
            .row = all.longest.row,
            .words = fmt::format(
                "threads queued for the lock at ...{:04x}: {} and {} in all, {} of them for one "
                "who had waited itself; the longest was that of {}, {} for {}",
                address & 0xffff, counted(all.waits, "wait", "waits"), lasting(all.time),
                grouped(all.turns), told.who(all.longest.row), lasting(all.longest.duration()),
                told.who(all.longest.holder)),
            .command = told.can_query
                           ? waits_for(address, all.when)
                           : fmt::format("blame --wait lock --pid {} {}",
                                         told.process_of(all.longest.row), from_to(all.when))});
    }
  }

 private:
  std::unordered_map<std::uint64_t, Windows<Queue>> locks_;
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
    kHearsLocks,
    make_detector<LockConvoy>,
    true,
    {EventGroup::kSyscalls, EventGroup::kWakeups}};

}  // namespace kutrace::odd
