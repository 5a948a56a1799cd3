// SPDX-License-Identifier: BSD-3-Clause
// CPUs that are busy and yet run slowly, where their frequency is recorded.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "odd/cases.h"
#include "odd/detectors.h"

namespace kutrace::odd {

namespace {

// A governor that follows the load raises the clock of a CPU within some 10 ms of work.
constexpr Ns kRampUp = 50'000'000;
// Turbo frequencies of one core are up to a half above those of all cores.
constexpr Ns kSlowPercent = 60;
// Of time that was lost by it, which is felt.
constexpr Ns kLeastCost = 50'000'000;
// Frequencies are told apart as far as that.
constexpr Ns kStepMhz = 50;

class FrequencyDrop : public Detector {
 public:
  FrequencyDrop(const Scene& scene, const NameTable& /*names*/) : scene_(scene) {}

  void frequency(const Span& span) override {
    if (span.cpu >= cpus_.size()) cpus_.resize(span.cpu + std::size_t{1});
    Cpu& cpu = cpus_[span.cpu];
    const Ns mhz = static_cast<Ns>(span.low_arg());
    cpu.fastest = std::max(cpu.fastest, mhz);
    const Ns span_end = span.start + span.duration;
    scene_.worked(span.cpu, span.start, span_end, [&](const TimeWindow& work) {
      const Ns begin = std::max(span.start, work.begin + kRampUp);
      const Ns end = std::min(span_end, work.end);
      if (begin < end && mhz > 0) cpu.busy[mhz / kStepMhz].add({begin, end}, end - begin);
    });
  }

  void report(const Told& /*told*/, const Give& give) override {
    for (CpuId number = 0; number < cpus_.size(); ++number) {
      Ns cost = 0;
      Ns slow = 0;
      const Ns fastest = cpus_[number].fastest;
      Ns slowest = fastest;
      Cases longest;
      for (const auto& [step, cases] : cpus_[number].busy) {
        const Ns mhz = step * kStepMhz;
        if (mhz * 100 > fastest * kSlowPercent) continue;
        slow += cases.cost;
        cost += cases.cost / fastest * (fastest - mhz);
        slowest = std::min(slowest, mhz);
        if (cases.cost > longest.cost) longest = cases;
      }
      if (cost < kLeastCost) continue;
      give({.cost = cost,
            .when = longest.worst,
            .cpu = number,
            .words = fmt::format(
                "CPU {} was busy at {} MHz and a little more, for {} at less than {} % of the {} "
                "MHz that it reaches in this trace",
                number, slowest, lasting(slow), kSlowPercent, fastest),
            .command = fmt::format("stat --by cpu --cpu {} {}", number, from_to(longest.worst))});
    }
  }

 private:
  struct Cpu {
    std::map<Ns, Cases> busy;  // by frequency, in steps
    Ns fastest = 0;            // cores of one machine may be made for different frequencies
  };

  const Scene& scene_;
  std::vector<Cpu> cpus_;
};

}  // namespace

const DetectorKind kFrequencyDrop = {
    "frequency",
    "frequency drops",
    [] {
      return fmt::format(
          "a CPU that does not idle for {} and more is slower than {} % of the highest frequency "
          "that it had, which costs {}",
          lasting(kRampUp), kSlowPercent, lasting(kLeastCost));
    },
    kHearsFrequency,
    make_detector<FrequencyDrop>,
    false,
    {EventGroup::kPower}};

}  // namespace kutrace::odd
