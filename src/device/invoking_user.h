// SPDX-License-Identifier: BSD-3-Clause
// Who called sudo, so that the command and the file are his and not root's.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace kutrace {

struct InvokingUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
};

// None unless this process is root through sudo for another user.
std::optional<InvokingUser> invoking_user();

// Becomes that user, with his groups, for good.
Status become(const InvokingUser& user);

}  // namespace kutrace
