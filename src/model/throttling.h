// SPDX-License-Identifier: BSD-3-Clause
// Control groups that were kept from running because they had used up their quota of CPU time. In:
// the facts of a trace, which tell for some moments what the kernel had counted until then; out:
// how much that grew within a part of the time. Whose wait it was, and when exactly, is not told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_window.h"
#include "format/container_name.h"
#include "format/facts.h"

namespace kutrace {

struct Throttled {
  std::string cgroup;
  Ns time = 0;                // that it was kept from running, summed over CPUs
  std::uint64_t periods = 0;  // in which something of the group wanted to run
  std::uint64_t throttled_periods = 0;
  TimeWindow told;  // from the first to the last moment that tells
};

class Throttling {
 public:
  // What grew in each window between the first and the last moment in it that tells.
  Throttling(const Facts& facts, const std::vector<TimeWindow>& windows);

  // The groups that were throttled, most time first.
  const std::vector<Throttled>& all() const { return all_; }
  // For a group: itself and those that it is in; for a container or pod: its groups.
  std::vector<Throttled> of(std::string_view label, CgroupPart part) const;

 private:
  std::vector<Throttled> all_;
};

}  // namespace kutrace
