// SPDX-License-Identifier: BSD-3-Clause
// What counters are read to be while a recording goes on. In: the moments at which it is asked;
// out: records of what changed from one to the next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.h"
#include "format/counter_records.h"
#include "record/proc/group_quotas.h"
#include "record/proc/machine_counters.h"
#include "record/proc/process_counters.h"

namespace kutrace::record {

class CounterLog {
 public:
  // Of control groups with a quota alone, those that there are now.
  CounterLog();
  // Of these and the machine, and of processes, if there are any. `period`: of reading.
  CounterLog(std::optional<ProcessCounters> processes, Ns period);

  // Tells of this process, too.
  void follow(Pid process);
  // Reads all counters. Now and then it looks which processes are the most active ones, and which
  // groups have a quota.
  void read(Ticks at);
  // Notes values of a moment: those that differ from before, and which are there no more.
  void take(Ticks at, const std::vector<Measured>& values);
  // Lets go of old readings when there are more than twice so many. Those that stay begin with one
  // that tells what held.
  void keep(std::size_t readings);

  // All that was noted since the last time.
  CounterRecords take_records() { return std::exchange(new_, CounterRecords()); }

 private:
  using Key = std::tuple<Pid, std::uint64_t, std::string>;  // process, when it began, name
  struct Known {
    std::uint32_t number = 0;
    std::optional<std::int64_t> value;
    std::uint64_t round = 0;  // in which it was read last
  };

  const std::uint64_t rounds_a_look_;
  std::optional<ProcessCounters> processes_;
  std::optional<MachineCounters> machine_;
  GroupQuotas quotas_;
  std::map<Key, Known> known_;
  CounterRecords new_;
  std::uint64_t rounds_ = 0;
  std::uint32_t numbers_ = 0;
};

}  // namespace kutrace::record
