// SPDX-License-Identifier: BSD-3-Clause
// Reads what sudo leaves in the environment.
#include "files/invoking_user.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"

namespace kutrace::files {

namespace {

constexpr const char* kAsRoot = "unset SUDO_UID SUDO_GID SUDO_USER to do it as root";

// Empty where it is not set.
std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

// -1 names nobody: it asks the kernel who one is.
std::optional<unsigned> id_from(const std::string& text) {
  const auto number = parse_number<unsigned>(text);
  return number == static_cast<unsigned>(-1) ? std::nullopt : number;
}

Error not_known(const std::string& name, const std::string& text, const std::string& what) {
  return usage_error(name + " is '" + printable(text) + "', which is no " + what +
                     ": whose the files are to be is not known")
      .with_hint(kAsRoot);
}

// What sudo says, as far as it does: the user's number, or else his name, is enough.
Result<std::optional<InvokingUser>> read_environment() {
  const std::string uid = variable("SUDO_UID");
  const std::string gid = variable("SUDO_GID");
  const std::string name = variable("SUDO_USER");
  if (uid.empty() && gid.empty() && name.empty()) return std::nullopt;
  const auto number = id_from(uid);
  if (!uid.empty() && !number) return fail(not_known("SUDO_UID", uid, "user's number"));
  const passwd* entry = number ? getpwuid(*number) : getpwnam(name.c_str());
  if (!number && entry == nullptr) return fail(not_known("SUDO_USER", name, "user's name"));
  InvokingUser user;
  user.uid = number ? *number : entry->pw_uid;
  if (user.uid == 0) return std::nullopt;
  user.name = name.empty() && entry != nullptr ? entry->pw_name : name;
  const auto group = id_from(gid);
  if (!group && (!gid.empty() || entry == nullptr))
    return fail(not_known("SUDO_GID", gid, "group's number"));
  user.gid = group ? *group : entry->pw_gid;
  return user;
}

// Who asks a process that serves several, once it is known.
std::optional<std::optional<InvokingUser>>& asking_user() {
  static std::optional<std::optional<InvokingUser>> user;
  return user;
}

// Of this thread alone; the C library's functions would change them in all threads.
bool try_groups(const std::vector<gid_t>& groups) {
  return syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

// The kernel takes root's power over files away with the user id for files, and gives it back.
bool try_user(uid_t user) {
  setfsuid(user);
  return static_cast<uid_t>(setfsuid(user)) == user;
}

std::vector<gid_t> own_groups() {
  std::vector<gid_t> groups(static_cast<std::size_t>(getgroups(0, nullptr)));
  getgroups(static_cast<int>(groups.size()), groups.data());
  return groups;
}

// One who is not in the list of users has no other groups.
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
  if (!asking_user()) {
    const auto read = read_environment();
    asking_user() = read ? *read : std::nullopt;
  }
  return *asking_user();
}

Status check_invoking_user() {
  if (geteuid() != 0) return {};
  KUTRACE_ASSIGN(const auto user, read_environment());
  if (!user) return {};
  const std::vector<gid_t> own = own_groups();
  const bool may = try_groups(groups_of(*user)) && try_user(user->uid);
  setfsuid(geteuid());
  try_groups(own);
  if (may) return {};
  return fail(
      host_error(fmt::format("cannot act as user {}, who called sudo: not allowed", user->uid))
          .with_hint(std::string("it takes CAP_SETUID and CAP_SETGID; or ") + kAsRoot));
}

void set_invoking_user(std::optional<InvokingUser> user) { asking_user() = std::move(user); }

Status become(const InvokingUser& user) {
  if (initgroups(user.name.c_str(), user.gid) == 0 && setgid(user.gid) == 0 &&
      setuid(user.uid) == 0)
    return {};
  return fail(host_error("cannot become user " + user.name + ": " + errno_text(errno)));
}

// Who cannot give up his rights must not go on with them.
AsInvokingUser::AsInvokingUser() {
  const auto user = invoking_user();
  if (!user) return;
  own_groups_ = own_groups();
  changed_ = true;
  if (!try_groups(groups_of(*user))) std::abort();
  setfsgid(user->gid);
  if (!try_user(user->uid)) std::abort();
}

AsInvokingUser::~AsInvokingUser() {
  if (!changed_) return;
  setfsuid(geteuid());
  setfsgid(getegid());
  if (!try_groups(own_groups_)) std::abort();
}

}  // namespace kutrace::files
