// SPDX-License-Identifier: BSD-3-Clause
// Walks mounted hierarchies.
#include "record/proc/cgroup_tree.h"

#include <filesystem>
#include <sstream>

namespace kutrace::record {

namespace {

void visit_below(const std::string& mount, const std::string& path, std::uint32_t level,
                 const VisitCgroup& visit) {
  if (!visit(path, level)) return;
  std::error_code error;
  std::filesystem::directory_iterator entries(mount + path, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error))
    if (std::error_code gone; entries->is_directory(gone) && !entries->is_symlink(gone))
      visit_below(mount, path + "/" + entries->path().filename().string(), level + 1, visit);
}

}  // namespace

// "30 23 0:26 / /sys/fs/cgroup rw,... - cgroup2 cgroup2 rw": root and mount point are the fourth
// and fifth field; its form, name and options stand behind the bar.
std::vector<CgroupMount> cgroup_mounts(const std::string& mountinfo) {
  std::vector<CgroupMount> mounts;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string ignored, root, folder, form, options;
    fields >> ignored >> ignored >> ignored >> root >> folder;
    while (fields >> ignored && ignored != "-") {
    }
    fields >> form >> ignored >> options;
    if (root == "/" && (form == "cgroup" || form == "cgroup2"))
      mounts.push_back({folder, form == "cgroup2", options});
  }
  return mounts;
}

void visit_cgroups(const std::string& mount, const VisitCgroup& visit) {
  visit_below(mount, "", 0, visit);
}

}  // namespace kutrace::record
