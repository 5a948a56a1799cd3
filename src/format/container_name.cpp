// SPDX-License-Identifier: BSD-3-Clause
// "/system.slice/docker-ID.scope", "/docker/ID", "/kubepods.slice/kubepods-burstable.slice/
// kubepods-burstable-podUID.slice/cri-containerd-ID.scope", "/kubepods/besteffort/podUID/ID",
// "/machine.slice/libpod-ID.scope/container", "/kubepods/.../podUID/crio-ID".
#include "format/container_name.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "base/shell_pattern.h"

namespace kutrace {

namespace {

constexpr std::size_t kContainerDigits = 64;
constexpr std::size_t kShortDigits = 12;
constexpr std::size_t kUidLength = 36;
constexpr std::size_t kHashLength = 32;  // of a pod that a file describes
constexpr std::string_view kPod = "pod";

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// What makes of a part of the path; of the last part of which it makes something.
std::string last_part(std::string_view path,
                      const std::function<std::string(std::string_view part)>& make) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view part = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (std::string made = make(part); !made.empty()) return made;
    path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  }
  return {};
}

std::string_view without(std::string_view part, std::string_view end) {
  return part.ends_with(end) ? part.substr(0, part.size() - end.size()) : part;
}

// Behind nothing or "-": docker-ID, crio-ID; crio-conmon-ID is the one who watches it.
std::string container_in(std::string_view part) {
  part = without(part, ".scope");
  if (part.size() < kContainerDigits) return {};
  const std::string_view before = part.substr(0, part.size() - kContainerDigits);
  const std::string_view id = part.substr(before.size());
  const bool is_one = std::ranges::all_of(id, is_hex) &&
                      (before.empty() || before.ends_with('-')) && !before.ends_with("conmon-");
  return is_one ? std::string(id) : std::string();
}

bool is_uid(std::string_view text) {
  if (text.size() == kHashLength) return std::ranges::all_of(text, is_hex);
  if (text.size() != kUidLength) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

// systemd's names of slices have _ for the - of a UID.
std::string pod_in(std::string_view part) {
  part = without(part, ".slice");
  const std::size_t at = part.rfind(kPod);
  if (at == std::string_view::npos || (at != 0 && part[at - 1] != '-')) return {};
  std::string uid(part.substr(at + kPod.size()));
  std::ranges::replace(uid, '_', '-');
  return is_uid(uid) ? uid : std::string();
}

}  // namespace

std::string container_of(std::string_view path) { return last_part(path, container_in); }

std::string short_container_of(std::string_view path) {
  return container_of(path).substr(0, kShortDigits);
}

std::string pod_of(std::string_view path) { return last_part(path, pod_in); }

std::optional<CgroupPart> cgroup_part(std::string_view word) {
  if (word == "cgroup") return CgroupPart::kPath;
  if (word == "container") return CgroupPart::kContainer;
  if (word == "pod") return CgroupPart::kPod;
  return std::nullopt;
}

std::string cgroup_label(const std::string& path, CgroupPart part) {
  if (path.empty()) return "?";
  if (part == CgroupPart::kPath) return path;
  const std::string name = part == CgroupPart::kContainer ? short_container_of(path) : pod_of(path);
  return name.empty() ? "-" : name;
}

bool fits_cgroup(const std::vector<std::string>& patterns, const std::string& path) {
  const std::string last = path.substr(path.rfind('/') + 1);
  if (fits_any(patterns, path) || (!last.empty() && fits_any(patterns, last))) return true;
  const std::string container = container_of(path);
  if (!container.empty() &&
      (fits_any(patterns, container) || fits_any(patterns, container.substr(0, kShortDigits))))
    return true;
  const std::string pod = pod_of(path);
  return !pod.empty() && fits_any(patterns, pod);
}

}  // namespace kutrace
