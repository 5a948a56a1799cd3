// SPDX-License-Identifier: BSD-3-Clause
// Threads that move between CPUs, back and forth.
#include <fmt/format.h>

#include <vector>

#include "base/counted.h"
#include "odd/detectors.h"
#include "odd/windows.h"

namespace kutrace::odd {

namespace {

// The scheduler balances some hundred times a second at most.
constexpr std::uint64_t kMostMoves = kWindow / 1'000'000;
// One window of that may be two programs that wake each other while a third comes and goes.
constexpr std::uint64_t kLeastWindows = 2;
// What a move costs: the cache of a core, some hundred KiB, is filled again from the one that is
// shared, or from memory, at some 10 GiB a second.
constexpr Ns kCostOfMove = 20'000;

struct Moves {
  std::uint64_t count = 0;
  Move last;

  void add(const Moves& more) {
    count += more.count;
    last = more.last;
  }
};

Ns cost_of(const Moves& window) {
  return window.count > kMostMoves ? static_cast<Ns>(window.count) * kCostOfMove : 0;
}

class Migrations : public Detector {
 public:
  Migrations(const Scene& /*scene*/, const NameTable& /*names*/) {}

  void moved(const Move& move) override {
    if (!move.back) return;
    if (move.row >= threads_.size()) threads_.resize(move.row + std::size_t{1});
    Moves& window = threads_[move.row].at(move.time, cost_of);
    ++window.count;
    window.last = move;
  }

  void report(const Told& told, const Give& give) override {
    for (Row row = 0; row < threads_.size(); ++row) {
      Windows<Moves>& windows = threads_[row];
      windows.finish(cost_of);
      const Cases& storms = windows.storms();
      if (storms.count < kLeastWindows) continue;
      const Moves& all = windows.in_storms();
      give({.cost = storms.cost,
            .when = storms.worst,
            .row = row,
            .words = fmt::format(
                "{} moved back to the CPU it had come from {} times in {}, as between {} and {}; "
                "each move is counted as {}",
                told.who(row), grouped(all.count), lasting(windows.length(told.recorded)),
                all.last.from, all.last.to, lasting(kCostOfMove)),
            .command = fmt::format("stat --by thread --sort moved --pid {} {}", all.last.pid,
                                   from_to(storms.when))});
    }
  }

 private:
  std::vector<Windows<Moves>> threads_;  // by row
};

}  // namespace

const DetectorKind kMigrations = {
    "migrations", "threads that move between CPUs, back and forth",
    [] {
      return fmt::format("a thread moves back more than {} times in {}, {} such times at least",
                         grouped(kMostMoves), lasting(kWindow), kLeastWindows);
    },
    kHearsMoves, make_detector<Migrations>};

}  // namespace kutrace::odd
