// SPDX-License-Identifier: BSD-3-Clause
// CPUs that did little but interrupts and softirqs.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "odd/detectors.h"
#include "odd/windows.h"

namespace kutrace::odd {

namespace {

// A network card at its full rate takes a fifth to two fifths of a CPU; from a half on, threads on
// that CPU have less of it than the interrupts.
constexpr Ns kMostTime = kWindow / 2;
// Cards that moderate their interrupts stay below some ten thousand a second.
constexpr std::uint64_t kMostInterrupts = kWindow / 10'000;

struct Name {
  NameId name = kNoName;
  Ns time = 0;
};

struct Interrupts {
  Ns time = 0;
  std::uint64_t count = 0;  // without softirqs: those that a thread's own calls cause are its work
  std::vector<Name> names;

  void add(NameId name, Ns its_time) {
    auto known = std::ranges::find(names, name, &Name::name);
    if (known == names.end()) known = names.insert(names.end(), {name, 0});
    known->time += its_time;
  }
  void add(const Interrupts& more) {
    time += more.time;
    count += more.count;
    for (const Name& name : more.names) add(name.name, name.time);
  }
};

Ns cost_of(const Interrupts& window) {
  return window.time > kMostTime || window.count > kMostInterrupts ? window.time : 0;
}

class InterruptStorm : public Detector {
 public:
  InterruptStorm(const Scene& /*scene*/, const NameTable& /*names*/) {}

  void interrupt(const Span& piece) override {
    if (piece.cpu >= cpus_.size()) cpus_.resize(piece.cpu + std::size_t{1});
    Cpu& cpu = cpus_[piece.cpu];
    if (piece.kind == SpanKind::kIrq) {
      const bool is_new = piece.call == CallId::kNone || piece.call != cpu.call;
      if (is_new) ++cpu.windows.at(piece.start, cost_of).count;
      cpu.call = piece.call;
    }
    each_window(piece.start, piece.start + piece.duration, [&](Ns begin, Ns time) {
      Interrupts& window = cpu.windows.at(begin, cost_of);
      window.time += time;
      window.add(piece.name, time);
    });
  }

  void report(const Told& told, const Give& give) override {
    for (CpuId number = 0; number < cpus_.size(); ++number) {
      Windows<Interrupts>& windows = cpus_[number].windows;
      windows.finish(cost_of);
      const Cases& storms = windows.storms();
      if (storms.count == 0) continue;
      const Interrupts& all = windows.in_storms();
      const auto most = std::ranges::max_element(all.names, {}, &Name::time);
      give({.cost = storms.cost,
            .when = storms.worst,
            .cpu = number,
            .words = fmt::format("CPU {} spent {} of {} in softirqs and {}, {} of it in {}", number,
                                 lasting(storms.cost), lasting(windows.length(told.recorded)),
                                 counted(all.count, "interrupt", "interrupts"), lasting(most->time),
                                 told.names.text(most->name)),
            .command = fmt::format("stat --by kind --cpu {} {}", number, from_to(storms.when))});
    }
  }

 private:
  struct Cpu {
    Windows<Interrupts> windows;
    CallId call = CallId::kNone;  // the last one
  };
  std::vector<Cpu> cpus_;
};

}  // namespace

const DetectorKind kInterruptStorm = {
    "interrupts",
    "interrupt and softirq storms",
    [] {
      return fmt::format(
          "a CPU spends more than {} of {} in them, or has more than {} interrupts in it",
          lasting(kMostTime), lasting(kWindow), grouped(kMostInterrupts));
    },
    kHearsInterrupts,
    make_detector<InterruptStorm>,
    false,
    {EventGroup::kIrqs, EventGroup::kSoftirqs}};

}  // namespace kutrace::odd
