// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc/PID/cgroup.
#include "record/proc/cgroups.h"

#include <sstream>
#include <utility>

#include "files/small_file.h"
#include "record/proc/proc_folder.h"

namespace kutrace::record {

namespace {

constexpr const char* kRoot = "/";

// How much a hierarchy says of who belongs together.
int rank_of(const std::string& controllers) {
  if (controllers.empty()) return 4;
  if (controllers == "name=systemd") return 3;
  return controllers == "cpu" || controllers.starts_with("cpu,") ? 2 : 1;
}

}  // namespace

// "0::/a" is version 2, "4:memory:/a" a hierarchy of version 1.
std::string cgroup_path(const std::string& text) {
  std::istringstream in(text);
  std::string found;
  int found_rank = -1;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string path = line.substr(second + 1);
    const int rank = path == kRoot ? 0 : rank_of(line.substr(first + 1, second - first - 1));
    if (rank <= found_rank) continue;
    found_rank = rank;
    found = std::move(path);
  }
  return found;
}

std::vector<CgroupRecord> ProcessCgroups::changes(const std::function<Ticks()>& now) {
  std::vector<CgroupRecord> changes;
  for (const Pid process : numbers_in("/proc")) {
    const Ticks at = now();
    const std::string path =
        cgroup_path(files::read_text("/proc/" + std::to_string(process) + "/cgroup"));
    if (path.empty()) continue;
    const auto [known, is_new] = known_.try_emplace(process, CgroupRecord{process, at, kRoot});
    if (known->second.path == path) continue;
    if (!is_new && known->second.path == kRoot) changes.push_back(known->second);
    known->second = {process, at, path};
    changes.push_back(known->second);
  }
  return changes;
}

}  // namespace kutrace::record
