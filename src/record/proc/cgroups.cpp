// SPDX-License-Identifier: BSD-3-Clause
// Reads /proc/PID/cgroup.
#include "record/proc/cgroups.h"

#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/number_text.h"
#include "files/small_file.h"
#include "record/proc/proc_folder.h"

namespace kutrace::record {

namespace {

constexpr const char* kRoot = "/";

// How much a hierarchy says of who belongs together; bpf/groups.h has the same order.
constexpr int kVersion2 = 4;
constexpr int kSystemd = 3;
constexpr int kCpu = 2;

int rank_of(const std::string& controllers) {
  if (controllers.empty()) return kVersion2;
  if (controllers == "name=systemd") return kSystemd;
  return controllers == "cpu" || controllers.starts_with("cpu,") ? kCpu : 1;
}

// "0::/a" is version 2, "4:memory:/a" a hierarchy of version 1.
struct HierarchyLine {
  std::string controllers;
  std::string path;
};

std::optional<HierarchyLine> parse_hierarchy(const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  return HierarchyLine{line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

}  // namespace

std::string cgroup_path(const std::string& text) {
  std::istringstream in(text);
  std::string found;
  int found_rank = -1;
  for (std::string line; std::getline(in, line);) {
    std::optional<HierarchyLine> hierarchy = parse_hierarchy(line);
    if (!hierarchy) continue;
    const int rank = hierarchy->path == kRoot ? 0 : rank_of(hierarchy->controllers);
    if (rank <= found_rank) continue;
    found_rank = rank;
    found = std::move(hierarchy->path);
  }
  return found;
}

CgroupHierarchies cgroup_hierarchies(const std::string& text) {
  CgroupHierarchies found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::optional<HierarchyLine> hierarchy = parse_hierarchy(line);
    if (!hierarchy) continue;
    const auto number =
        parse_number<std::uint32_t>(std::string_view(line).substr(0, line.find(':'))).value_or(0);
    const int rank = rank_of(hierarchy->controllers);
    if (rank == kSystemd) found.systemd = number;
    if (rank == kCpu) found.cpu = number;
  }
  return found;
}

std::vector<CgroupRecord> ProcessCgroups::changes(const std::function<Ticks()>& now,
                                                  bool with_new) {
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
    if (!is_new || with_new) changes.push_back(known->second);
  }
  return changes;
}

// It may be another process than the one that is known by this number, so it is told in any case.
std::vector<CgroupRecord> ProcessCgroups::moved(const CgroupRecord& move) {
  std::vector<CgroupRecord> changes;
  const auto [known, is_new] = known_.try_emplace(move.process, move);
  if (!is_new && known->second.path == kRoot) changes.push_back(known->second);
  known->second = move;
  changes.push_back(move);
  return changes;
}

}  // namespace kutrace::record
