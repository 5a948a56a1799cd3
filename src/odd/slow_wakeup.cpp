// SPDX-License-Identifier: BSD-3-Clause
// CPUs that take long from idle to running the thread that was woken for them.
#include <fmt/format.h>

#include <vector>

#include "base/counted.h"
#include "odd/cases.h"
#include "odd/detectors.h"

namespace kutrace::odd {

namespace {

// The deepest idle states of today's processors are left in a tenth to a third of a millisecond.
constexpr Ns kLongWay = 500'000;
// Now and then a hypervisor is late; a CPU that is slow is so again and again.
constexpr std::uint64_t kLeastTimes = 10;
// And in all it must be worth a word: one part of so many of the recorded time.
constexpr Ns kLeastPart = 100;

class SlowWakeup : public Detector {
 public:
  explicit SlowWakeup(const Scene& scene, const NameTable& /*names*/) : scene_(scene) {}

  void ready(const ReadyWait& ready) override {
    const Wait& wait = ready.wait;
    // From another CPU it was brought here late, which is no way out of idle.
    if (wait.duration() < kLongWay || wait.cpu != ready.before) return;
    Ns idle = 0;
    Ns leaving = 0;
    scene_.had_cpu(wait.cpu, wait.begin, wait.end, [&](Row row, Ns time) {
      if (is_thread(row)) return false;
      if (row == kIdleRow || row == kIdleExitRow) idle += time;
      if (row == kIdleExitRow) leaving += time;
      return true;
    });
    if (idle < kLongWay || idle * 10 < wait.duration() * 9) return;
    if (wait.cpu >= cpus_.size()) cpus_.resize(wait.cpu + std::size_t{1});
    Cpu& cpu = cpus_[wait.cpu];
    cpu.leaving += leaving;
    cpu.cases.add({wait.begin, wait.end}, idle, ready.row);
  }

  void report(const Told& told, const Give& give) override {
    for (CpuId number = 0; number < cpus_.size(); ++number) {
      const Cpu& cpu = cpus_[number];
      const CasesOf<Row>& cases = cpu.cases;
      if (cases.count < kLeastTimes || cases.cost < told.recorded / kLeastPart) continue;
      give(
          {.cost = cases.cost,
           .when = cases.worst,
           .cpu = number,
           .words = fmt::format(
               "CPU {} was idle for {} while threads were ready to run on it, {} to leave idle "
               "states, in {} of {} and more; the longest was that of {}, {}",
               number, lasting(cases.cost), lasting(cpu.leaving),
               counted(cases.count, "wait", "waits"), lasting(kLongWay), told.who(cases.of_worst),
               lasting(cases.worst_cost)),
           .command = fmt::format("blame --wait ready --cpu {} {}", number, from_to(cases.worst))});
    }
  }

 private:
  struct Cpu {
    CasesOf<Row> cases;  // who waited
    Ns leaving = 0;
  };

  const Scene& scene_;
  std::vector<Cpu> cpus_;
};

}  // namespace

const DetectorKind kSlowWakeup = {
    "idle-exit",
    "slow exits from idle",
    [] {
      return fmt::format(
          "threads wait {} and more, {} times at least, for the idle CPU on which they ran last, "
          "for {} % of the recorded time in all",
          lasting(kLongWay), kLeastTimes, 100 / kLeastPart);
    },
    kHearsReady,
    make_detector<SlowWakeup>,
    false,
    {EventGroup::kWakeups}};

}  // namespace kutrace::odd
