// SPDX-License-Identifier: BSD-3-Clause
// Threads that did little but page faults.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "odd/detectors.h"
#include "odd/windows.h"

namespace kutrace::odd {

namespace {

// Programs that begin, and compilers, spend up to two fifths of their time in faults. In a storm it
// is more of what the thread executed. It need not be half: each fault's trap, before its first
// event, counts as user code, and a thread that only touches fresh memory was seen at 49 % ...
constexpr Ns kMostShare = 45;
// ... and so much of a window, which a start of a program does not reach ...
constexpr Ns kLeastTime = kWindow / 5;
// ... and more than once: a large table that is filled is a burst of a tenth of a second.
constexpr Ns kLeastCost = 200'000'000;

struct Faults {
  Ns time = 0;
  Ns executed = 0;
  std::uint64_t count = 0;
  Pid pid = kNoPid;  // the thread's number then

  void add(const Faults& more) {
    time += more.time;
    executed += more.executed;
    count += more.count;
    pid = more.pid;
  }
};

Ns cost_of(const Faults& window) {
  const bool most = window.time * 100 > window.executed * kMostShare;
  return window.time > kLeastTime && most ? window.time : 0;
}

struct Thread {
  Windows<Faults> windows;
  Ns executed = 0;              // up to the window under way
  CallId call = CallId::kNone;  // the last one
};

// What it executed in the window after its last fault there counts, too.
auto judge(Thread& thread, Ns executed) {
  return [&thread, executed](Faults& window) {
    window.executed = std::min(kWindow, executed - thread.executed);
    thread.executed = executed;
    return cost_of(window);
  };
}

class FaultStorm : public Detector {
 public:
  FaultStorm(const Scene& scene, const NameTable& /*names*/) : scene_(scene) {}

  void fault(const Span& piece, Row row) override {
    if (row >= threads_.size()) threads_.resize(row + std::size_t{1});
    Thread& thread = threads_[row];
    const Ns before = scene_.executed(row) - piece.duration;
    const bool is_new = piece.call == CallId::kNone || piece.call != thread.call;
    if (is_new) ++thread.windows.at(piece.start, judge(thread, before)).count;
    thread.call = piece.call;
    each_window(piece.start, piece.start + piece.duration, [&](Ns begin, Ns time) {
      Faults& window = thread.windows.at(begin, judge(thread, before + begin - piece.start));
      window.time += time;
      window.pid = piece.pid;
    });
  }

  void report(const Told& told, const Give& give) override {
    for (Row row = 0; row < threads_.size(); ++row) {
      Windows<Faults>& windows = threads_[row].windows;
      windows.finish(judge(threads_[row], scene_.executed(row)));
      const Cases& storms = windows.storms();
      if (storms.cost < kLeastCost) continue;
      const Faults& all = windows.in_storms();
      give({.cost = storms.cost,
            .when = storms.worst,
            .row = row,
            .words = fmt::format("{} spent {} of the {} that it executed in {}", told.who(row),
                                 lasting(all.time), lasting(all.executed),
                                 counted(all.count, "page fault", "page faults")),
            .command = fmt::format("stat --by kind --pid {} {}", all.pid, from_to(storms.when))});
    }
  }

 private:
  const Scene& scene_;
  std::vector<Thread> threads_;  // by row
};

}  // namespace

const DetectorKind kFaultStorm = {
    "faults",
    "page-fault storms",
    [] {
      return fmt::format(
          "a thread spends more than {} % of what it executes, and more than {} of {}, in page "
          "faults, {} in all",
          kMostShare, lasting(kLeastTime), lasting(kWindow), lasting(kLeastCost));
    },
    kHearsFaults,
    make_detector<FaultStorm>,
    false,
    {EventGroup::kFaults}};

}  // namespace kutrace::odd
