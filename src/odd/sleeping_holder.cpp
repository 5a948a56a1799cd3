// SPDX-License-Identifier: BSD-3-Clause
// Locks whose holder slept while others waited for them.
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "base/counted.h"
#include "odd/detectors.h"
#include "odd/lock_cases.h"

namespace kutrace::odd {

namespace {

// A holder that waits a moment for a disk is what locks are for; a wait of this length is felt.
constexpr Ns kLongSleep = 10'000'000;
// And in all so much, which a user would miss.
constexpr Ns kLeastCost = 50'000'000;

class SleepingHolder : public Detector {
 public:
  SleepingHolder(const Scene& /*scene*/, const NameTable& /*names*/) {}

  void lock(const LockWait& wait) override {
    if (wait.blocked < kLongSleep) return;
    sleepers_.add(wait.holder, wait, wait.blocked);
  }

  void report(const Told& told, const Give& give) override {
    for (const auto& [key, holders] : alike(told)) {
      const LockCases::Cases& cases = holders.cases;
      if (cases.cost < kLeastCost) continue;
      const LockWait& worst = cases.of_worst;
      const Row row = worst.holder;
      const std::string others =
          holders.count == 1 ? ""
                             : " and " + counted(holders.count - 1, "other", "others") + " like it";
      const std::string& call = told.names.text(worst.longest_blocked.call);
      give({.cost = cases.cost,
            .when = cases.worst,
            .row = row,
            .words = fmt::format(
                "{}{} slept for {} while holding locks that others waited for, in {}; the longest "
                "time, {} waited {} for the lock at ...{:04x}, and {} slept {}{} meanwhile",
                told.who(row), others, lasting(cases.cost), counted(cases.count, "wait", "waits"),
                told.who(worst.row), lasting(worst.duration()), worst.lock & 0xffff, told.who(row),
                lasting(worst.blocked), call.empty() ? "" : " in " + call),
            .command = why_at_end(worst)});
    }
  }

 private:
  struct Holders {
    LockCases::Cases cases;
    std::uint64_t count = 0;  // of threads
  };

  // A program may do each piece of work by a new thread: those of one process and name are one.
  std::map<std::pair<Pid, NameId>, Holders> alike(const Told& told) const {
    std::map<std::pair<Pid, NameId>, Holders> groups;
    for (const auto& [row, cases] : sleepers_.of_locks(told.locks)) {
      Holders& group = groups[{told.process_of(row), told.scene.name_of(row)}];
      group.cases.add(cases);
      ++group.count;
    }
    return groups;
  }

  LockCases sleepers_;  // by holder
};

}  // namespace

const DetectorKind kSleepingHolder = {
    "sleeping-holder",
    "holders of locks that slept while others waited",
    [] {
      return fmt::format(
          "the thread that releases a lock in futex was blocked for {} of a wait for it, for {} "
          "in all",
          lasting(kLongSleep), lasting(kLeastCost));
    },
    kHearsLocks,
    make_detector<SleepingHolder>,
    true,
    {EventGroup::kSyscalls, EventGroup::kWakeups}};

}  // namespace kutrace::odd
