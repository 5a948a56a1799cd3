// SPDX-License-Identifier: BSD-3-Clause
// The recorder's own share of the machine.
#include <fmt/format.h>

#include "base/add_time.h"
#include "odd/detectors.h"

namespace kutrace::odd {

namespace {

// What a recording changes by less than that is within what runs of a program differ by anyway.
constexpr Ns kMostPercent = 5;

class RecorderShare : public Detector {
 public:
  RecorderShare(const Scene& /*scene*/, const NameTable& /*names*/) {}

  void report(const Told& told, const Give& give) override {
    const Ns all = told.recorded * static_cast<Ns>(told.info.cpus.size());
    Ns executed = 0;
    Row most = kNoRow;
    for (Row row = 0; row < told.scene.threads(); ++row) {
      const auto known = told.info.threads.find(told.scene.pid_of(row));
      if (known == told.info.threads.end() || !known->second.recorder) continue;
      add_time(executed, told.scene.executed(row));
      if (most == kNoRow || told.scene.executed(row) > told.scene.executed(most)) most = row;
    }
    // Declared: events x cost, in threads and interrupts of others.
    const double percent = told.info.facts.get(fact::kCostPercent).value_or(0);
    const Ns cost = executed + static_cast<Ns>(static_cast<double>(all) * percent / 100);
    if (cost <= all / 100 * kMostPercent) return;
    give({.cost = cost,
          .when = {told.info.begin, told.info.end},
          .row = most,
          .words = fmt::format(
              "recording took {:.1f} % of all CPUs' time: {} in the recorder's own threads, and "
              "{:.1f} % by what each event costs; fewer groups of events, or the module, cost less",
              100 * static_cast<double>(cost) / static_cast<double>(all), lasting(executed),
              percent),
          .command = "stat --by program"});
  }
};

}  // namespace

const DetectorKind kRecorderShare = {
    "recorder",
    "the recorder's own share",
    [] {
      return fmt::format(
          "the recorder's threads and the declared cost of events take more than {} % of all CPUs' "
          "time",
          kMostPercent);
    },
    kHearsNothing,
    make_detector<RecorderShare>,
    true,
    {},
    FactsRead::kRecorder};

}  // namespace kutrace::odd
