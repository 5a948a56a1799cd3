// SPDX-License-Identifier: BSD-3-Clause
// Control groups of version 2 as folders: what sources are told of those that a filter names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace::record {

struct CgroupFolder {
  std::string path;  // as /proc/PID/cgroup has it
  std::uint64_t id = 0;
  std::uint32_t level = 0;  // below the root, which is 0
};

// Those there are now that one of the shell patterns fits (format/container_name.h) and that are
// not below another one that it fits. An error if there are none, or more than `most`.
Result<std::vector<CgroupFolder>> find_cgroups(const std::vector<std::string>& patterns,
                                               std::size_t most);

// Whether /proc shows the paths of control groups from the machine's root, not from a container's.
bool sees_all_cgroups();

// Where version 2 is mounted, root of the hierarchy and all, in the text of /proc/self/mountinfo;
// empty: it is not.
std::string cgroup_mount(const std::string& mountinfo);

// Whether the path in the text of a file /proc/PID/cgroup is that group or below it.
bool is_below(const std::string& proc_text, const CgroupFolder& group);

// The group of a unit of systemd, as a pattern: a service, unless the name says another kind.
std::string unit_pattern(const std::string& unit);

}  // namespace kutrace::record
