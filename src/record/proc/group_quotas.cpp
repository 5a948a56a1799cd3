// SPDX-License-Identifier: BSD-3-Clause
// Reads cpu.stat. A group that ends meanwhile is left out.
#include "record/proc/group_quotas.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "files/small_file.h"
#include "format/counter_records.h"

namespace kutrace::record {

namespace {

constexpr std::int64_t kNsPerUs = 1000;

// "20000 100000" of version 2, "20000" of version 1; none is "max 100000", "-1".
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

// "30 23 0:26 / /sys/fs/cgroup rw,... - cgroup2 cgroup2 rw": root and mount point are the fourth
// and fifth field, controllers of version 1 are options behind the name.
std::vector<std::string> cpu_mounts(const std::string& mountinfo) {
  std::vector<std::string> mounts;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string ignored;
    std::string root;
    std::string mount;
    fields >> ignored >> ignored >> ignored >> root >> mount;
    while (fields >> ignored && ignored != "-") {
    }
    std::string form;
    std::string options;
    fields >> form >> ignored >> options;
    const bool is_of_cpus = form == "cgroup2" || (form == "cgroup" && has_word(options, "cpu"));
    if (is_of_cpus && root == "/") mounts.push_back(mount);
  }
  return mounts;
}

void GroupQuotas::find_below(const std::string& mount, const std::string& path) {
  const std::string folder = mount + path;
  const std::optional<QuotaUse> use = use_of(folder);
  if (use && (use->periods != 0 || has_quota(folder))) groups_.push_back({folder, path});
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && groups_.size() < kMost && entries != std::filesystem::directory_iterator();
       entries.increment(error)) {
    std::error_code gone;
    if (entries->is_directory(gone) && !entries->is_symlink(gone))
      find_below(mount, path + "/" + entries->path().filename().string());
  }
}

void GroupQuotas::choose() {
  groups_.clear();
  for (const std::string& mount : cpu_mounts(files::read_text("/proc/self/mountinfo")))
    find_below(mount, "");
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
