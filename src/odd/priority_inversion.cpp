// SPDX-License-Identifier: BSD-3-Clause
// Waits for a lock whose holder was ready, and a third thread had the holder's CPU. Priorities are
// not in a trace, so that the third one has a lower one than who waits remains to be seen.
#include <fmt/format.h>

#include "base/counted.h"
#include "odd/detectors.h"
#include "odd/lock_cases.h"

namespace kutrace::odd {

namespace {

// On a machine that is busy a holder loses its CPU for some slices of the scheduler. Longer is what
// that would do to no thread of the same priority.
constexpr Ns kLongReady = 100'000'000;

class PriorityInversion : public Detector {
 public:
  PriorityInversion(const Scene& /*scene*/, const NameTable& /*names*/) {}

  void lock(const LockWait& wait) override {
    const bool third =
        is_thread(wait.longest_ready.holder) && wait.longest_ready.holder != wait.row;
    if (wait.ready < kLongReady || !third) return;
    waiting_.add(wait.row, wait, wait.ready);
  }

  void report(const Told& told, const Give& give) override {
    for (const auto& [row, cases] : waiting_.of_locks(told.locks)) {
      const LockWait& worst = cases.of_worst;
      const Wait& ready = worst.longest_ready;
      give({.cost = cases.cost,
            .when = cases.worst,
            .row = row,
            .words = fmt::format(
                "{} waited for {} while {} ready and did not run, for "
                "{}; the longest time the holder was {}, and CPU {} ran {} for {} of {}; whether "
                "that has a lower priority than {}, a trace does not tell",
                told.who(row),
                cases.count == 1 ? "a lock" : grouped(cases.count) + " times for locks",
                cases.count == 1 ? "its holder was" : "their holders were", lasting(cases.cost),
                told.who(worst.holder), ready.cpu, told.occupant(ready.holder), lasting(ready.held),
                lasting(worst.ready), told.who(row)),
            .command = why_at_end(worst)});
    }
  }

 private:
  LockCases waiting_;  // by who waits
};

}  // namespace

const DetectorKind kPriorityInversion = {
    "priority-inversion",
    "priority inversions",
    [] {
      return fmt::format(
          "a thread waits for a lock whose holder is ready for {} of that, while a third thread "
          "has its CPU; a trace has no priorities",
          lasting(kLongReady));
    },
    kHearsLocks,
    make_detector<PriorityInversion>,
    true,
    {EventGroup::kSyscalls, EventGroup::kWakeups}};

}  // namespace kutrace::odd
