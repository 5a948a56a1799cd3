// SPDX-License-Identifier: BSD-3-Clause
// Paths of control groups as docker, containerd, CRI-O, podman and Kubernetes make them.
#include <catch2/catch.hpp>

#include "format/container_name.h"

using namespace kutrace;

namespace {

const std::string kId(64, 'a');
const std::string kUid = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
const std::string kUidOfSlice = "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0";

}  // namespace

TEST_CASE("containers are found in the paths of every runtime", "[format]") {
  const std::string burstable = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod";
  CHECK(container_of("/docker/" + kId) == kId);
  CHECK(container_of("/system.slice/docker-" + kId + ".scope") == kId);
  CHECK(container_of("/machine.slice/libpod-" + kId + ".scope/container") == kId);
  CHECK(container_of(burstable + kUidOfSlice + ".slice/cri-containerd-" + kId + ".scope") == kId);
  CHECK(container_of(burstable + kUidOfSlice + ".slice/crio-" + kId + ".scope") == kId);
  CHECK(container_of("/kubepods/besteffort/pod" + kUid + "/" + kId) == kId);
  CHECK(container_of("/system.slice:docker:/docker/" + kId + "/init.scope") == kId);
}

TEST_CASE("what is no container has none", "[format]") {
  CHECK(container_of("").empty());
  CHECK(container_of("/").empty());
  CHECK(container_of("/system.slice/nginx.service").empty());
  CHECK(container_of("/docker/" + kId.substr(1)).empty());
  CHECK(container_of("/docker/x" + kId).empty());
  CHECK(container_of("/docker/" + std::string(64, 'g')).empty());
  CHECK(container_of("/machine.slice/libpod-conmon-" + kId + ".scope").empty());
}

TEST_CASE("pods are found by their UID", "[format]") {
  CHECK(pod_of("/kubepods/besteffort/pod" + kUid + "/" + kId) == kUid);
  CHECK(pod_of("/kubepods.slice/kubepods-pod" + kUidOfSlice + ".slice/crio-" + kId + ".scope") ==
        kUid);
  CHECK(pod_of("/kubepods/burstable/pod" + std::string(32, 'b')) == std::string(32, 'b'));
  CHECK(pod_of("/kubepods/podium").empty());
  CHECK(pod_of("/machine.slice/libpod-" + kId + ".scope").empty());
  CHECK(pod_of("/pod" + kUid + "0").empty());
  CHECK(pod_of("").empty());
}

TEST_CASE("a pattern fits a path, its end, its container or its pod", "[format]") {
  const std::string path = "/kubepods/besteffort/pod" + kUid + "/" + kId;
  for (const std::string& pattern :
       {path, std::string("*/pod0f1e*"), kId, kId.substr(0, 12), kUid, std::string("0f1e2d3c*")})
    CHECK(fits_cgroup({pattern}, path));
  for (const char* pattern : {"/kubepods", "aaaa", "0f1e", ""})
    CHECK_FALSE(fits_cgroup({pattern}, path));
  CHECK(fits_cgroup({"/"}, "/"));
  CHECK(fits_cgroup({"nginx.service"}, "/system.slice/nginx.service"));
}
