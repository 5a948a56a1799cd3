// SPDX-License-Identifier: BSD-3-Clause
// SO_PEERCRED and SO_PEERGROUPS: as it was when he connected.
#include "serve/peer.h"

#include <grp.h>
#include <sys/socket.h>

#include <algorithm>
#include <vector>

namespace kutrace::serve {

namespace {

constexpr std::size_t kMostGroups = 65536;

bool is_member(int socket, gid_t group) {
  std::vector<gid_t> groups(kMostGroups);
  socklen_t bytes = kMostGroups * sizeof(gid_t);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) != 0) return false;
  groups.resize(bytes / sizeof(gid_t));
  return std::ranges::find(groups, group) != groups.end();
}

}  // namespace

std::optional<gid_t> number_of_group(const std::string& name) {
  const group* const found = getgrnam(name.c_str());
  return found != nullptr ? std::optional(found->gr_gid) : std::nullopt;
}

std::optional<Peer> peer_of(int socket, const Policy& policy, std::optional<gid_t> group) {
  ucred credentials{};
  socklen_t bytes = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0) return std::nullopt;
  Peer peer{credentials.uid, credentials.gid, policy.users ? Right::kOwn : Right::kNone};
  if (credentials.uid == 0)
    peer.right = Right::kRoot;
  else if (group && (credentials.gid == *group || is_member(socket, *group)))
    peer.right = Right::kAll;
  return peer;
}

}  // namespace kutrace::serve
