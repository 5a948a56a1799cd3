// SPDX-License-Identifier: BSD-3-Clause
// Containers and pods, as the paths of control groups name them. In: a path; out: the container or
// pod, for docker, containerd, CRI-O, podman and Kubernetes. No runtime is asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace {

// The id of the innermost container, 64 hexadecimal digits; empty if the path is in none.
std::string container_of(std::string_view path);
// Its first 12 digits, as tools show them.
std::string short_container_of(std::string_view path);
// The pod's UID, "12345678-1234-...", or the hash that a static pod has; empty if the path is in
// none.
std::string pod_of(std::string_view path);

enum class CgroupPart { kPath, kContainer, kPod };
// For "cgroup", "container", "pod"; nothing for any other word.
std::optional<CgroupPart> cgroup_part(std::string_view word);

// What a table calls a group: its path, the short id of its container, or its pod; "-" if it is in
// none, "?" if the path is not known.
std::string cgroup_label(const std::string& path, CgroupPart part);

// Whether one of the shell patterns fits the group's path, the last part of the path, the
// container's id or short id, or the pod.
bool fits_cgroup(const std::vector<std::string>& patterns, const std::string& path);

}  // namespace kutrace
