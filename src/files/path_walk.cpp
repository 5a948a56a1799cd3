// SPDX-License-Identifier: BSD-3-Clause
// Each name is opened without following it, and only what was opened is looked at: whoever replaces
// it meanwhile changes nothing.
#include "files/path_walk.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/fsuid.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"
#include "files/small_file.h"

namespace kutrace::files {

namespace {

constexpr int kMostLinks = 40;  // as the kernel has it

bool is_on_proc(const Descriptor& folder) {
  struct statfs system{};
  return fstatfs(folder.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// N of /proc/self/fd/N, or -1.
int own_descriptor(const Descriptor& folder, const std::string& name) {
  struct stat here{};
  struct stat own{};
  if (fstat(folder.get(), &here) != 0 || stat("/proc/self/fd", &own) != 0) return -1;
  if (!is_same_file(here, own)) return -1;
  return parse_number<int>(name).value_or(-1);
}

// Whether user 0 is the machine's root here: a user namespace shows other users' files, root's
// among them, as those of nobody.
bool sees_all_users() {
  std::uint64_t first = 1;
  std::uint64_t outside = 1;
  std::uint64_t count = 0;
  const std::string map = read_line("/proc/self/uid_map");
  return std::sscanf(map.c_str(), "%lu %lu %lu", &first, &outside, &count) == 3 && first == 0 &&
         outside == 0 && count >= UINT32_MAX;
}

// Stricter than fs.protected_symlinks, which trusts whoever owns the folder, and sticky ones alone.
bool may_follow(const Descriptor& folder, const struct stat& link) {
  const auto asking = static_cast<uid_t>(setfsuid(static_cast<uid_t>(-1)));  // only asks
  if (link.st_uid == asking || link.st_uid == 0) return true;
  if (asking == 0 && sees_all_users()) return false;
  struct stat status{};
  return fstat(folder.get(), &status) == 0 && (status.st_mode & S_IWOTH) == 0;
}

std::string target_of(const Descriptor& link) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = readlinkat(link.get(), "", text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

class Walk {
 public:
  explicit Walk(const std::string& path) : path_(path), rest_(path) {}
  Result<WalkEnd> go();

 private:
  Status begin();
  Status pass(const std::string& name);
  Status follow(const std::string& name, const Descriptor& link, const struct stat& status);
  Error failed(int number) const { return cannot_write(path_, number); }

  const std::string& path_;
  std::string rest_;  // what is not gone yet
  int links_ = 0;
  WalkEnd end_;
  bool arrived_ = false;
};

Status Walk::begin() {
  const char* from = rest_.starts_with('/') ? "/" : ".";
  if (!end_.folder || rest_.starts_with('/'))
    end_.folder = Descriptor(open(from, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!end_.folder) return fail(failed(errno));
  return {};
}

Status Walk::follow(const std::string& name, const Descriptor& link, const struct stat& status) {
  if (++links_ > kMostLinks) return fail(failed(ELOOP));
  if (is_on_proc(end_.folder)) {  // these are the kernel's own, and lead where their text does not
    if (rest_.empty()) {
      end_.own_descriptor = own_descriptor(end_.folder, name);
      arrived_ = true;
      return end_.own_descriptor < 0 ? fail(failed(EACCES)) : Status();
    }
    end_.folder =
        Descriptor(openat(end_.folder.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return end_.folder ? Status() : fail(failed(errno));
  }
  if (!may_follow(end_.folder, status)) {
    return fail(output_error(rest_.empty() ? "is a link that somebody else made"
                                           : "leads through '" + printable(name) +
                                                 "', a link that somebody else made")
                    .with_file(path_)
                    .with_hint("choose another place with -o"));
  }
  rest_.insert(0, target_of(link));
  return begin();
}

// One name of the path.
Status Walk::pass(const std::string& name) {
  Descriptor next(openat(end_.folder.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  end_.name = name;
  if (!next && errno == ENOENT && rest_.empty()) {
    arrived_ = true;
    return {};
  }
  struct stat status{};
  if (!next || fstat(next.get(), &status) != 0) return fail(failed(errno));
  if (S_ISLNK(status.st_mode)) return follow(name, next, status);
  if (S_ISDIR(status.st_mode)) {
    end_.folder = std::move(next);
    return {};
  }
  if (!rest_.empty()) return fail(failed(ENOTDIR));
  end_.there = status;
  arrived_ = true;
  return {};
}

Result<WalkEnd> Walk::go() {
  if (path_.empty()) return fail(failed(ENOENT));
  KUTRACE_TRY(begin());
  while (!arrived_) {
    rest_.erase(0, std::min(rest_.find_first_not_of('/'), rest_.size()));
    if (rest_.empty()) return fail(failed(EISDIR));
    const std::string name = rest_.substr(0, rest_.find('/'));
    rest_.erase(0, name.size());
    KUTRACE_TRY(pass(name));
  }
  return std::move(end_);
}

}  // namespace

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Error cannot_write(const std::string& path, int number) {
  return output_error("cannot be written: " + errno_text(number))
      .with_file(path)
      .with_hint(number == ENOSPC ? "make room there, or choose another place with -o"
                                  : "choose another place with -o");
}

Result<WalkEnd> walk_to(const std::string& path) { return Walk(path).go(); }

}  // namespace kutrace::files
