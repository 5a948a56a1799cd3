// SPDX-License-Identifier: BSD-3-Clause
// Control groups of processes, as /proc shows them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "format/process_text.h"

namespace kutrace::record {

// The path in the text of a file /proc/PID/cgroup, of the first of these hierarchies that does not
// have the process in its root: version 2, systemd's own, cpu, any other. Empty: there is none.
std::string cgroup_path(const std::string& text);

// Numbers of the hierarchies, of version 1, that come behind version 2. 0: there is none.
struct CgroupHierarchies {
  std::uint32_t systemd = 0;
  std::uint32_t cpu = 0;
};
CgroupHierarchies cgroup_hierarchies(const std::string& text);

class ProcessCgroups {
 public:
  // Reads those of all processes; out: what changed since the last time. At first, all that is not
  // the root; of one that has left the root, also that and when it was there. `now` reads the
  // counter. `with_new`: also those that began since the last time.
  std::vector<CgroupRecord> changes(const std::function<Ticks()>& now, bool with_new = true);
  // One that a source told. Out: it, and as above, that the process was in the root.
  std::vector<CgroupRecord> moved(const CgroupRecord& move);

 private:
  std::map<Pid, CgroupRecord> known_;
};

}  // namespace kutrace::record
