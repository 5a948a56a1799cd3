// SPDX-License-Identifier: BSD-3-Clause
// The folders of control groups. In: the text of /proc/self/mountinfo, where a hierarchy is
// mounted; out: its mounts, its folders one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kutrace::record {

struct CgroupMount {
  std::string folder;
  bool is_version_2 = false;
  std::string options;  // of version 1: controllers are among them, "rw,cpu,cpuacct"
};

// Of hierarchies that are mounted from their root.
std::vector<CgroupMount> cgroup_mounts(const std::string& mountinfo);

// Calls `visit` with the path of each group from the root, which is empty itself, and how deep it
// lies; groups below are gone to where it says so. Folders that end meanwhile, and others that
// cannot be read, are left out.
using VisitCgroup = std::function<bool(const std::string& path, std::uint32_t level)>;
void visit_cgroups(const std::string& mount, const VisitCgroup& visit);

}  // namespace kutrace::record
