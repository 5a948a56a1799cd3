// SPDX-License-Identifier: BSD-3-Clause
// Threads that were ready and did not run.
#include <fmt/format.h>

#include <unordered_map>

#include "base/counted.h"
#include "odd/cases.h"
#include "odd/detectors.h"

namespace kutrace::odd {

namespace {

// The scheduler's slices are some milliseconds long, and a thread of the lowest nice value waits
// about 200 ms for each of the usual one on its CPU. A trace does not tell nice values, so what
// lasts no longer than with two of these is not called odd.
constexpr Ns kLongWait = 500'000'000;

class Starved : public Detector {
 public:
  Starved(const Scene& /*scene*/, const NameTable& /*names*/) {}

  void ready(const ReadyWait& ready) override {
    const Wait& wait = ready.wait;
    // That nothing had the CPU is another matter, and what had it may not be told.
    if (wait.known() < kLongWait || !is_thread(wait.holder)) return;
    rows_[ready.row].add({wait.begin, wait.end}, wait.known(), wait);
  }

  void report(const Told& told, const Give& give) override {
    for (const auto& [row, cases] : rows_) {
      const Wait& longest = cases.of_worst;
      give({.cost = cases.cost,
            .when = cases.worst,
            .row = row,
            .words = fmt::format(
                "{} was ready and did not run for {}, in {} of {} and more; the longest took {}{}, "
                "and CPU {} ran {}",
                told.who(row), lasting(cases.cost), counted(cases.count, "wait", "waits"),
                lasting(kLongWait), lasting(longest.duration()), lost_of(longest), longest.cpu,
                who_ran(told, longest)),
            .command = fmt::format("blame --thread {} --wait ready {}", longest.pid,
                                   from_to({longest.held_since, longest.end}))});
    }
  }

 private:
  static std::string lost_of(const Wait& wait) {
    return wait.lost == 0 ? "" : fmt::format(", {} of which the trace lost", lasting(wait.lost));
  }

  // Others of its name are told with it, as `kutrace blame` does.
  static std::string who_ran(const Told& told, const Wait& wait) {
    const Ns looked_at = wait.end - wait.held_since;
    const std::string of = wait.held_since == wait.begin
                               ? "of it"
                               : fmt::format("of the last {} of it", lasting(looked_at));
    const bool in_turn = wait.held_by_name * 2 <= looked_at - wait.lost;
    const std::string who = (in_turn ? "others in turn, longest " : "") + told.who(wait.holder);
    if (wait.held_by_name == wait.held)
      return fmt::format("{} for {} {}", who, lasting(wait.held), of);
    return fmt::format("{} and others of that name for {} {}, {} by itself", who,
                       lasting(wait.held_by_name), of, lasting(wait.held));
  }

  std::unordered_map<Row, CasesOf<Wait>> rows_;
};

}  // namespace

const DetectorKind kStarved = {
    "starved",
    "threads that were ready but did not run",
    [] { return fmt::format("one wait of {} for a CPU that others had", lasting(kLongWait)); },
    kHearsReady,
    make_detector<Starved>,
    true,
    {EventGroup::kWakeups}};

}  // namespace kutrace::odd
