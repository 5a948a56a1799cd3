// SPDX-License-Identifier: BSD-3-Clause
// Containers and pods as paths of control groups tell of them: those of docker, containerd, CRI-O,
// podman and Kubernetes. No runtime is asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kutrace {

// The number of the innermost container, 64 hexadecimal digits; empty: in none.
std::string container_of(std::string_view path);
// The UID of the pod, "12345678-1234-...", or the hash that a static pod has; empty: in none.
std::string pod_of(std::string_view path);

enum class CgroupPart { kPath, kContainer, kPod };

// How a table names the group of a path: the path itself, the first 12 digits of the container, as
// tools show them, the pod; "-": in none; "?" where the path is not known.
std::string cgroup_label(const std::string& path, CgroupPart part);

// Whether one of the shell patterns fits the path of a group, its last part, the container, the
// first 12 digits of it, or the pod.
bool fits_cgroup(const std::vector<std::string>& patterns, const std::string& path);

}  // namespace kutrace
