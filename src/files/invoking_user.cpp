// SPDX-License-Identifier: BSD-3-Clause
// Reads what sudo leaves in the environment.
#include "files/invoking_user.h"

#include <grp.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

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

// Who asks a process that serves several, once it is known.
std::optional<std::optional<InvokingUser>>& asking_user() {
  static std::optional<std::optional<InvokingUser>> user;
  return user;
}

// Of this thread alone; the C library's functions would change them in all threads.
void set_groups(const std::vector<gid_t>& groups) {
  if (syscall(SYS_setgroups, groups.size(), groups.data()) != 0) std::abort();
}

std::vector<gid_t> groups_of(const InvokingUser& user) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  if (getgrouplist(user.name.c_str(), user.gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
    getgrouplist(user.name.c_str(), user.gid, groups.data(), &count);
  }
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

}  // namespace

std::optional<InvokingUser> invoking_user() {
  if (geteuid() != 0) return std::nullopt;
  if (asking_user()) return *asking_user();
  const auto uid = number_from("SUDO_UID");
  const auto gid = number_from("SUDO_GID");
  const char* name = std::getenv("SUDO_USER");
  if (!uid || !gid || name == nullptr || *uid == 0) return std::nullopt;
  return InvokingUser{*uid, *gid, name};
}

void set_invoking_user(std::optional<InvokingUser> user) { asking_user() = std::move(user); }

Status become(const InvokingUser& user) {
  if (initgroups(user.name.c_str(), user.gid) == 0 && setgid(user.gid) == 0 &&
      setuid(user.uid) == 0)
    return {};
  return fail(host_error("cannot become user " + user.name + ": " + errno_text(errno)));
}

// The kernel takes root's power over files away with the user id for files, and gives it back.
AsInvokingUser::AsInvokingUser() {
  const auto user = invoking_user();
  if (!user) return;
  own_groups_.resize(static_cast<std::size_t>(getgroups(0, nullptr)));
  getgroups(static_cast<int>(own_groups_.size()), own_groups_.data());
  changed_ = true;
  set_groups(groups_of(*user));
  setfsgid(user->gid);
  setfsuid(user->uid);
  // Who cannot give up his rights must not go on with them.
  if (static_cast<uid_t>(setfsuid(user->uid)) != user->uid) std::abort();
}

AsInvokingUser::~AsInvokingUser() {
  if (!changed_) return;
  setfsuid(geteuid());
  setfsgid(getegid());
  set_groups(own_groups_);
}

}  // namespace kutrace
