// SPDX-License-Identifier: BSD-3-Clause
// Disk flushes of one thread during which others wait for the disk.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/counted.h"
#include "model/by_name.h"
#include "odd/cases.h"
#include "odd/detectors.h"

namespace kutrace::odd {

namespace {

// A disk with a cache of its own flushes in some milliseconds.
constexpr Ns kLongFlush = 20'000'000;
// Of another thread's wait for the disk: what a disk takes to read is less.
constexpr Ns kLongStall = 10'000'000;
// Of all stalls by one thread's flushes: what somebody notices.
constexpr Ns kLeastCost = 100'000'000;
// So many of the last are compared with each other.
constexpr std::size_t kKept = 128;

constexpr char kDisk = 'd';

bool flushes(std::string_view call) {
  constexpr std::array<std::string_view, 6> kCalls = {"fsync",  "fdatasync", "sync",
                                                      "syncfs", "msync",     "sync_file_range"};
  return std::ranges::find(kCalls, call) != kCalls.end();
}

class FlushStall : public Detector {
 public:
  FlushStall(const Scene& scene, const NameTable& names)
      : scene_(scene), is_flush_(names, flushes) {}

  // Whichever of flush and stall is told later finds the other.
  void call(const ReturnedCall& call) override {
    if (call.end - call.begin < kLongFlush || !is_flush_.of(call.name)) return;
    const Flush flush{call.row, call.name, call.begin, call.end};
    keep(flushes_, next_flush_, flush);
    for (const Stall& stall : stalls_) meet(flush, stall);
  }

  void blocked(const BlockedWait& wait) override {
    // Two that flush at a time wait for the same, and neither for the other; kernel threads do the
    // flush's own work.
    const bool stalled = wait.wait.letter == kDisk && wait.wait.duration() >= kLongStall &&
                         !is_flush_.of(wait.wait.call) && !scene_.is_kernel_s(wait.row);
    if (!stalled) return;
    const Stall stall{wait.row, wait.wait.begin, wait.wait.end};
    keep(stalls_, next_stall_, stall);
    for (const Flush& flush : flushes_) meet(flush, stall);
  }

  void report(const Told& told, const Give& give) override {
    for (const auto& [row, cases] : rows_) {
      if (cases.cost < kLeastCost) continue;
      give({.cost = cases.cost,
            .when = cases.worst,
            .row = row,
            .words = fmt::format(
                "while {} flushed to the disk, as in {} for {}, others waited for the disk for {}, "
                "in {}; the longest was {}",
                told.who(row), told.names.text(cases.of_worst.flush.name),
                lasting(cases.of_worst.flush.end - cases.of_worst.flush.begin), lasting(cases.cost),
                counted(cases.count, "wait", "waits"), told.who(cases.of_worst.victim)),
            .command = fmt::format("blame --wait disk {}", from_to(cases.worst))});
    }
  }

 private:
  struct Flush {
    Row row = kNoRow;
    NameId name = kNoName;
    Ns begin = 0;
    Ns end = 0;
  };
  struct Stall {
    Row row = kNoRow;
    Ns begin = 0;
    Ns end = 0;
  };
  struct Met {
    Flush flush;
    Row victim = kNoRow;
  };

  template <typename T>
  static void keep(std::vector<T>& kept, std::size_t& next, const T& one) {
    if (kept.size() < kKept) {
      kept.push_back(one);
    } else {
      kept[next++ % kKept] = one;
    }
  }

  void meet(const Flush& flush, const Stall& stall) {
    const TimeWindow both{std::max(flush.begin, stall.begin), std::min(flush.end, stall.end)};
    if (flush.row == stall.row || both.end - both.begin < kLongStall) return;
    rows_[flush.row].add(both, both.end - both.begin, {flush, stall.row});
  }

  const Scene& scene_;
  ByName<bool> is_flush_;
  std::vector<Flush> flushes_;
  std::vector<Stall> stalls_;
  std::size_t next_flush_ = 0;
  std::size_t next_stall_ = 0;
  std::unordered_map<Row, CasesOf<Met>> rows_;
};

}  // namespace

const DetectorKind kFlushStall = {
    "flush",
    "disk flushes that stall others",
    [] {
      return fmt::format(
          "during calls of fsync, fdatasync, sync, syncfs, msync or sync_file_range of {} and more "
          "in one thread, others that do not flush wait for the disk, {} and more at a time, {} "
          "in all",
          lasting(kLongFlush), lasting(kLongStall), lasting(kLeastCost));
    },
    kHearsCalls | kHearsBlocked,
    make_detector<FlushStall>,
    true,
    {EventGroup::kSyscalls, EventGroup::kWakeups}};

}  // namespace kutrace::odd
