// SPDX-License-Identifier: BSD-3-Clause
// Threads that were ready while the CPU idled on which they had run and ran next.
#include <fmt/format.h>

#include <unordered_map>

#include "base/counted.h"
#include "odd/cases.h"
#include "odd/detectors.h"

namespace kutrace::odd {

namespace {

// No way out of idle takes a tenth of that; a hypervisor may, now and then.
constexpr Ns kLongHeldBack = 20'000'000;
// So one has been late again and again, or something else holds the thread back.
constexpr Ns kLeastHeldBack = 100'000'000;

class HeldBack : public Detector {
 public:
  explicit HeldBack(const Scene& scene, const NameTable& /*names*/) : scene_(scene) {}

  void ready(const ReadyWait& ready) override {
    const Wait& wait = ready.wait;
    // From another CPU it was brought here, and did not wait for this one all the time.
    if (wait.known() < kLongHeldBack || wait.cpu != ready.before) return;
    Ns idle = 0;
    scene_.had_cpu(wait.cpu, wait.begin, wait.end, [&](Row row, Ns time) {
      if (row == kIdleRow || row == kIdleExitRow) idle += time;
      return true;
    });
    if (idle < kLongHeldBack || idle * 10 < wait.duration() * 9) return;
    rows_[ready.row].add({wait.begin, wait.end}, idle, wait);
  }

  void report(const Told& told, const Give& give) override {
    for (const auto& [row, cases] : rows_) {
      if (cases.cost < kLeastHeldBack) continue;
      const Wait& longest = cases.of_worst;
      give({.cost = cases.cost,
            .when = cases.worst,
            .row = row,
            .words = fmt::format(
                "{} was ready for {} while the CPU idled on which it had run and ran next, in {} "
                "of {} and more; the longest took {}, on CPU {}: a quota of CPU time may have held "
                "it back, or a hypervisor that did not run the CPU",
                told.who(row), lasting(cases.cost), counted(cases.count, "wait", "waits"),
                lasting(kLongHeldBack), lasting(longest.duration()), longest.cpu),
            .command = fmt::format("blame --thread {} --wait ready {}", longest.pid,
                                   from_to(cases.worst))});
    }
  }

 private:
  const Scene& scene_;
  std::unordered_map<Row, CasesOf<Wait>> rows_;
};

}  // namespace

const DetectorKind kHeldBack = {
    "held-back",
    "threads that were ready while their CPU idled",
    [] {
      return fmt::format(
          "waits of {} and more for the idle CPU on which a thread ran last add up to {}",
          lasting(kLongHeldBack), lasting(kLeastHeldBack));
    },
    kHearsReady,
    make_detector<HeldBack>,
    false,
    {EventGroup::kWakeups}};

}  // namespace kutrace::odd
