// SPDX-License-Identifier: BSD-3-Clause
// Control groups that had used up their quota of CPU time.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/counted.h"
#include "model/cgroups.h"
#include "model/throttling.h"
#include "odd/cases.h"
#include "odd/detectors.h"

namespace kutrace::odd {

namespace {

// Who has a quota is throttled now and then; that much is felt.
constexpr Ns kLeast = 100'000'000;

// Groups of processes, as the trace tells of those that were there when it began and ended; others
// have their parent's.
class GroupOf {
 public:
  explicit GroupOf(const TraceInfo& info) : info_(info) {
    for (const auto& [key, value] : info.facts) {
      if (key != fact::kCgroup.text) continue;
      if (std::optional<CgroupFact> told = parse_cgroup(value))
        paths_[told->process] = std::move(told->path);
    }
  }
  std::string operator()(Pid process) const {
    constexpr int kMostParents = 64;
    for (int i = 0; i < kMostParents; ++i) {
      if (const auto known = paths_.find(process); known != paths_.end()) return known->second;
      const auto thread = info_.threads.find(process);
      if (thread == info_.threads.end() || thread->second.parent <= 0) break;
      process = thread->second.parent;
    }
    return "/";
  }

 private:
  const TraceInfo& info_;
  std::map<Pid, std::string> paths_;
};

class ThrottledGroups : public Detector {
 public:
  ThrottledGroups(const Scene& /*scene*/, const NameTable& /*names*/) {}

  void ready(const ReadyWait& ready) override {
    rows_[ready.row].add({ready.wait.begin, ready.wait.end}, ready.wait.known());
  }

  void report(const Told& told, const Give& give) override {
    const Throttling throttling(told.info.facts, {{told.info.begin, told.info.end}});
    if (throttling.all().empty()) return;
    // Of each group the thread that was ready longest.
    std::map<std::string, Row> most;
    const GroupOf group_of(told.info);
    for (const auto& [row, cases] : rows_) {
      const std::string path = group_of(told.process_of(row));
      for (const Throttled& group : throttling.of(path, CgroupPart::kPath)) {
        Row& longest = most.try_emplace(group.cgroup, row).first->second;
        const Ns known = rows_[longest].cost;
        if (cases.cost > known || (cases.cost == known && row < longest)) longest = row;
      }
    }
    for (const Throttled& group : throttling.all()) {
      if (group.time < kLeast) continue;
      std::string words = fmt::format(
          "the control group {} had used up its quota of CPU time in {} of {} and was kept from "
          "running for {}, summed over CPUs",
          group.cgroup, grouped(group.throttled_periods),
          counted(group.periods, "period", "periods"), lasting(group.time));
      Finding finding;
      finding.cost = group.time;
      finding.when = group.told;
      if (const auto longest = most.find(group.cgroup); longest != most.end()) {
        const Cases& cases = rows_[longest->second];
        finding.row = longest->second;
        finding.when = cases.worst;
        words += fmt::format("; of its threads, {} was ready and did not run for {}, in {}",
                             told.who(finding.row), lasting(cases.cost),
                             counted(cases.count, "wait", "waits"));
      }
      finding.words = std::move(words);
      finding.command = "stat --by cgroup";
      give(std::move(finding));
    }
  }

 private:
  std::unordered_map<Row, Cases> rows_;
};

}  // namespace

const DetectorKind kThrottled = {
    "throttled",
    "control groups that used up their quota of CPU time",
    [] {
      return fmt::format("a group was kept from running for {} according to its cpu.stat",
                         lasting(kLeast));
    },
    kHearsReady,
    make_detector<ThrottledGroups>,
    false,
    {},
    FactsRead::kQuotas};

}  // namespace kutrace::odd
