// SPDX-License-Identifier: BSD-3-Clause
// Who is at the other end of a local socket, as the kernel says, and what he may therefore see.
#pragma once

#include <sys/types.h>

#include <optional>

#include "serve/policy.h"

namespace kutrace::serve {

enum class Right { kNone, kOwn, kAll, kRoot };

struct Peer {
  uid_t user = 0;
  gid_t group = 0;
  Right right = Right::kNone;
};

// The group's number; none if there is no such group. To be asked before calls are given up.
std::optional<gid_t> number_of_group(const std::string& name);

// None: he is gone.
std::optional<Peer> peer_of(int socket, const Policy& policy, std::optional<gid_t> group);

}  // namespace kutrace::serve
