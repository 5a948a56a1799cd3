// SPDX-License-Identifier: BSD-3-Clause
// Locks whose holder slept while others waited for them.
#include <fmt/format.h>

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
    for (const auto& [row, cases] : sleepers_.of_locks(told.locks)) {
      if (cases.cost < kLeastCost) continue;
      const LockWait& worst = cases.of_worst;
      const std::string& call = told.names.text(worst.longest_blocked.call);
      give({.cost = cases.cost,
            .when = cases.worst,
            .row = row,
            .words = fmt::format(
                "{} slept for {} while it held locks that others waited for, in {}; the longest "
                "time, {} waited {} for the lock at ...{:04x}, and {} slept {}{} meanwhile",
                told.who(row), lasting(cases.cost), counted(cases.count, "wait", "waits"),
                told.who(worst.row), lasting(worst.duration()), worst.lock & 0xffff, told.who(row),
                lasting(worst.blocked), call.empty() ? "" : " in " + call),
            .command = why_at_end(told, worst)});
    }
  }

 private:
  LockCases sleepers_;  // by holder
};

}  // namespace

const DetectorKind kSleepingHolder = {
    "sleeping-holder", "holders of locks that slept while others waited",
    [] {
      return fmt::format(
          "the thread that releases a lock in futex was blocked for {} of a wait for it, for {} "
          "in all",
          lasting(kLongSleep), lasting(kLeastCost));
    },
    kHearsLocks, make_detector<SleepingHolder>};

}  // namespace kutrace::odd
