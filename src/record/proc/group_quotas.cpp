// SPDX-License-Identifier: BSD-3-Clause
// Reads cpu.stat. A group that ends meanwhile is left out.
#include "record/proc/group_quotas.h"

#include <sstream>
#include <string_view>

#include "files/small_file.h"
#include "format/counter_records.h"
#include "record/proc/cgroup_tree.h"

namespace kutrace::record {

namespace {

constexpr std::int64_t kNsPerUs = 1000;

// "20000 100000" of version 2, "20000" of version 1; none is "max 100000", "-1". Costs much less
// than cpu.stat, for which the kernel adds up what each CPU has counted of the group.
bool has_quota(const std::string& folder) {
  for (const char* file : {"/cpu.max", "/cpu.cfs_quota_us"}) {
    const std::string text = files::read_line(folder + file);
    if (!text.empty()) return text.front() >= '0' && text.front() <= '9';
  }
  return false;
}

std::optional<QuotaUse> use_of(const std::string& folder) {
  return parse_cpu_stat(files::read_text(folder + "/cpu.stat"));
}

bool has_word(const std::string& list, std::string_view word) {
  std::istringstream words(list);
  for (std::string one; std::getline(words, one, ',');)
    if (one == word) return true;
  return false;
}

}  // namespace

std::optional<QuotaUse> parse_cpu_stat(const std::string& text) {
  std::istringstream in(text);
  QuotaUse use;
  bool any = false;
  std::string name;
  std::int64_t value = 0;
  while (in >> name >> value) {
    if (name == "nr_throttled") use.throttled = value;
    if (name == "throttled_usec") use.ns = value * kNsPerUs;
    if (name == "throttled_time") use.ns = value;
    if (name != "nr_periods") continue;
    use.periods = value;
    any = true;
  }
  return any ? std::optional(use) : std::nullopt;
}

std::vector<std::string> cpu_mounts(const std::string& mountinfo) {
  std::vector<std::string> folders;
  for (const CgroupMount& mount : cgroup_mounts(mountinfo))
    if (mount.is_version_2 || has_word(mount.options, "cpu")) folders.push_back(mount.folder);
  return folders;
}

void GroupQuotas::choose() {
  groups_.clear();
  for (const std::string& mount : cpu_mounts(files::read_text("/proc/self/mountinfo"))) {
    visit_cgroups(mount, [&](const std::string& path, std::uint32_t /*level*/) {
      if (groups_.size() >= kMost) return false;
      const std::string folder = mount + path;
      if (has_quota(folder)) groups_.push_back({folder, path});
      return true;
    });
  }
}

void GroupQuotas::read(std::vector<Measured>& to) const {
  for (const Group& group : groups_) {
    const std::optional<QuotaUse> use = use_of(group.folder);
    if (!use) continue;
    const auto add = [&](std::string_view name, std::string_view unit, std::int64_t value) {
      to.push_back({std::string(name) + group.path, unit, true, value});
    };
    add(kQuotaPeriods, kEvents, use->periods);
    add(kThrottledPeriods, kEvents, use->throttled);
    add(kThrottled, kNs, use->ns);
  }
}

}  // namespace kutrace::record
