// SPDX-License-Identifier: BSD-3-Clause
// Reads what sudo leaves in the environment.
#include "device/invoking_user.h"

#include <grp.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace kutrace {

namespace {

std::optional<unsigned> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  unsigned number = 0;
  const char* last = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

}  // namespace

std::optional<InvokingUser> invoking_user() {
  if (geteuid() != 0) return std::nullopt;
  const auto uid = number_from("SUDO_UID");
  const auto gid = number_from("SUDO_GID");
  const char* name = std::getenv("SUDO_USER");
  if (!uid || !gid || name == nullptr || *uid == 0) return std::nullopt;
  return InvokingUser{*uid, *gid, name};
}

Status become(const InvokingUser& user) {
  if (initgroups(user.name.c_str(), user.gid) == 0 && setgid(user.gid) == 0 &&
      setuid(user.uid) == 0)
    return {};
  return fail(host_error("cannot become user " + user.name + ": " + errno_text(errno)));
}

}  // namespace kutrace
