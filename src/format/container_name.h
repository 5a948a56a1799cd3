// SPDX-License-Identifier: BSD-3-Clause
// Containers and pods as paths of control groups tell of them: those of docker, containerd, CRI-O,
// podman and Kubernetes. No runtime is asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace {

// The number of the innermost container, 64 hexadecimal digits; empty: in none.
std::string container_of(std::string_view path);
// Its first 12 digits, as tools show them.
std::string short_container_of(std::string_view path);
// The UID of the pod, "12345678-1234-...", or the hash that a static pod has; empty: in none.
std::string pod_of(std::string_view path);

enum class CgroupPart { kPath, kContainer, kPod };
// "cgroup", "container", "pod"; none: it is something else that is asked for.
std::optional<CgroupPart> cgroup_part(std::string_view word);

// How a table names the group of a path: the path itself, the short number of the container, the
// pod; "-": in none; "?" where the path is not known.
std::string cgroup_label(const std::string& path, CgroupPart part);

// Whether one of the shell patterns fits the path of a group, its last part, the container, the
// first 12 digits of it, or the pod.
bool fits_cgroup(const std::vector<std::string>& patterns, const std::string& path);

}  // namespace kutrace
