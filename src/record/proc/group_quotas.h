// SPDX-License-Identifier: BSD-3-Clause
// Control groups that have a quota of CPU time (cpu.max, cfs_quota), and how long they were kept
// from running as they had used it up: what cpu.stat shows, of version 1 and 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/proc/measured.h"

namespace kutrace::record {

struct QuotaUse {
  std::int64_t periods = 0;    // in which something of the group wanted to run
  std::int64_t throttled = 0;  // of which it used up its quota
  std::int64_t ns = 0;         // that it was kept from running, summed over CPUs

  bool operator==(const QuotaUse&) const = default;
};

// The text of cpu.stat; nothing if it has no periods.
std::optional<QuotaUse> parse_cpu_stat(const std::string& text);
// Where a hierarchy with the controller of CPUs is mounted, root and all, or may be: in the text of
// /proc/self/mountinfo.
std::vector<std::string> cpu_mounts(const std::string& mountinfo);

class GroupQuotas {
 public:
  // More are left out.
  static constexpr std::size_t kMost = 256;

  // Looks at all groups for those that have a quota.
  void choose();
  // Appends to `to`: of each group three counters, named as format/counter_records.h says.
  void read(std::vector<Measured>& to) const;

 private:
  struct Group {
    std::string folder;
    std::string path;  // as /proc/PID/cgroup has it
  };

  std::vector<Group> groups_;
};

}  // namespace kutrace::record
