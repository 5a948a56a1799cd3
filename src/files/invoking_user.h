// SPDX-License-Identifier: BSD-3-Clause
// Who called sudo, so that the command and the file are his and not root's.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace::files {

struct InvokingUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
};

// Whether what sudo says can be understood, and done. To be asked before the first of the
// following: nothing of another user's becomes root's because it could not.
Status check_invoking_user();

// None unless this process is root through sudo for another user.
std::optional<InvokingUser> invoking_user();

// From now on this process works for who asks it now, not for who started it.
void set_invoking_user(std::optional<InvokingUser> user);

// Becomes that user, with his groups, for good.
Status become(const InvokingUser& user);

// While it lives, the calling thread reaches files as the user who called sudo: with his rights and
// not root's, and what it creates is his. Does nothing where there is no such user.
class AsInvokingUser {
 public:
  AsInvokingUser();
  ~AsInvokingUser();
  AsInvokingUser(const AsInvokingUser&) = delete;
  AsInvokingUser& operator=(const AsInvokingUser&) = delete;

 private:
  bool changed_ = false;
  std::vector<gid_t> own_groups_;
};

}  // namespace kutrace::files
