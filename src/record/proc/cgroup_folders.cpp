// SPDX-License-Identifier: BSD-3-Clause
// Walks the mounted hierarchy. The number of a group is the inode of its folder.
#include "record/proc/cgroup_folders.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "files/small_file.h"
#include "format/container_name.h"
#include "record/proc/cgroup_tree.h"

namespace kutrace::record {

namespace {

constexpr const char* kOurNamespace = "/proc/self/ns/cgroup";
constexpr const char* kMachinesNamespace = "cgroup:[4026531835]";  // the kernel's own number of it

std::string link_of(const char* path) {
  std::array<char, 64> text{};
  const ssize_t length = readlink(path, text.data(), text.size());
  return length < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(length));
}

}  // namespace

bool sees_all_cgroups() { return link_of(kOurNamespace) == kMachinesNamespace; }

std::string cgroup_mount(const std::string& mountinfo) {
  for (const CgroupMount& mount : cgroup_mounts(mountinfo))
    if (mount.is_version_2) return mount.folder;
  return {};
}

Result<std::vector<CgroupFolder>> find_cgroups(const std::vector<std::string>& patterns,
                                               std::size_t most) {
  std::vector<CgroupFolder> found;
  if (patterns.empty()) return found;
  const std::string mount = cgroup_mount(files::read_text("/proc/self/mountinfo"));
  if (mount.empty())
    return fail(
        host_error("control groups of version 2, which the filter needs, are not mounted")
            .with_hint("choose by --comm, --pid or --uid, or later: kutrace stat --cgroup"));
  if (!sees_all_cgroups())
    return fail(host_error("the machine's control groups are not known in a namespace of its own")
                    .with_hint("record outside of the container"));
  visit_cgroups(mount, [&](const std::string& path, std::uint32_t level) {
    const std::string shown = path.empty() ? "/" : path;
    if (!fits_cgroup(patterns, shown)) return true;
    struct stat status{};
    if (stat((mount + path).c_str(), &status) == 0) found.push_back({shown, status.st_ino, level});
    return false;
  });
  if (found.empty())
    return fail(
        usage_error(fmt::format("there is no control group '{}' of version 2", patterns.front()))
            .with_hint("'*/NAME' finds NAME anywhere; systemd-cgls shows them"));
  if (found.size() > most)
    return fail(usage_error(fmt::format("'{}' are {} control groups, of which {} can be chosen",
                                        patterns.front(), found.size(), most))
                    .with_hint("name the one that they are below"));
  return found;
}

bool is_below(const std::string& proc_text, const CgroupFolder& group) {
  constexpr std::string_view kVersion2 = "0::";
  std::istringstream lines(proc_text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kVersion2)) continue;
    const std::string path = line.substr(kVersion2.size());
    return group.level == 0 || path == group.path || path.starts_with(group.path + "/");
  }
  return false;
}

std::string unit_pattern(const std::string& unit) {
  constexpr auto kKinds = std::to_array<std::string_view>({".service", ".scope", ".slice"});
  const bool has_kind =
      std::ranges::any_of(kKinds, [&](std::string_view kind) { return unit.ends_with(kind); });
  return "*/" + unit + (has_kind ? "" : ".service");
}

}  // namespace kutrace::record
