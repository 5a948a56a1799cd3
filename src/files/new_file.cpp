// SPDX-License-Identifier: BSD-3-Clause
// Exclusive creation, renaming, and a look whether the name still leads to the file.
#include "files/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include "files/invoking_user.h"
#include "files/path_walk.h"

namespace kutrace::files {

namespace {

constexpr mode_t kPrivate = 0600;  // traces hold addresses and command lines of everybody
constexpr const char* kOld = ".old";

std::string what_it_is(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  return S_ISLNK(mode) ? "a link" : "no file";
}

}  // namespace

Result<NewFile> NewFile::create(const std::string& path, Purpose purpose) {
  const AsInvokingUser user;
  KUTRACE_ASSIGN(OutputPlace place, find_output_place(path));
  KUTRACE_TRY(check_output_place(place, -1));
  NewFile file(path, std::move(place), purpose);
  if (file.is_stream()) return file;
  KUTRACE_ASSIGN(const bool keeps_old, file.keeps_old());
  if (keeps_old) KUTRACE_TRY(file.check_old());
  KUTRACE_TRY(file.make_file());
  return file;
}

Status NewFile::make_file() {
  do {
    part_ = name_of_part(place_.name);
    unfinished_ = UnfinishedFile(place_.folder.get(), part_);
    file_ = Descriptor(openat(place_.folder.get(), part_.c_str(),
                              O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate));
  } while (!file_ && errno == EEXIST);
  if (!file_) {
    part_.clear();
    return fail(cannot_write(place_.path, errno));
  }
  if (purpose_ != Purpose::kRecording) return {};
  hold_while_writing(file_.get());
  // Of two that begin at once each sees the other's file now.
  return check_output_place(place_, file_.get());
}

NewFile::~NewFile() {
  if (!file_ || part_.empty()) return;
  const AsInvokingUser user;
  unlinkat(place_.folder.get(), part_.c_str(), 0);
}

// The file that was asked for is no folder or link: one that is there came later.
Result<bool> NewFile::keeps_old() const {
  struct stat old{};
  if (purpose_ != Purpose::kRecording ||
      fstatat(place_.folder.get(), place_.name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0)
    return false;
  if (S_ISREG(old.st_mode)) return old.st_size != 0;
  return fail(output_error("has become " + what_it_is(old.st_mode)).with_file(place_.path));
}

// What stands where the old file is to be kept may be an older one, and nothing else.
Status NewFile::check_old() const {
  OutputPlace kept;
  kept.path = place_.path + kOld;
  kept.name = place_.name + kOld;
  struct stat older{};
  if (fstatat(place_.folder.get(), kept.name.c_str(), &older, AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISREG(older.st_mode)) {
    return fail(output_error("is " + what_it_is(older.st_mode) + ", so what stands at " +
                             place_.path + " cannot be kept there")
                    .with_file(kept.path)
                    .with_hint("move one of them away, or choose another place with -o"));
  }
  kept.folder = Descriptor(fcntl(place_.folder.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return check_output_place(kept, file_.get());
}

Status NewFile::keep_old() const {
  KUTRACE_ASSIGN(const bool keeps, keeps_old());
  if (!keeps) return {};
  KUTRACE_TRY(check_old());
  const int folder = place_.folder.get();
  const std::string kept = place_.name + kOld;
  if (renameat(folder, place_.name.c_str(), folder, kept.c_str()) != 0)
    return fail(cannot_write(place_.path, errno));
  return {};
}

// Names and folders belong to everybody who may write there; the open file is ours.
Status NewFile::check_name() const {
  struct stat mine{};
  if (fstat(file_.get(), &mine) != 0) return fail(cannot_write(place_.path, errno));
  const auto there = walk_to(asked_);
  if (there && there->there && is_same_file(*there->there, mine)) return {};
  const std::string now = path_now();
  return fail(output_error(now.empty() ? "was removed or replaced while it was written"
                                       : "was moved or replaced while it was written: it is " + now)
                  .with_file(place_.path));
}

std::string NewFile::path_now() const {
  if (!part_.empty()) return {};  // that name goes with the object
  const std::string link = "/proc/self/fd/" + std::to_string(file_.get());
  std::array<char, PATH_MAX> text{};
  const ssize_t length = readlink(link.c_str(), text.data(), text.size());
  const std::string path(text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  struct stat mine{};
  struct stat there{};
  const bool stands = fstat(file_.get(), &mine) == 0 && lstat(path.c_str(), &there) == 0;
  return stands && is_same_file(mine, there) ? path : std::string();
}

Status NewFile::take_name() {
  if (is_stream()) return {};
  const AsInvokingUser user;
  if (part_.empty()) return check_name();
  // Some file systems tell only when a descriptor is closed that a write failed.
  if (const int copy = fcntl(file_.get(), F_DUPFD_CLOEXEC, 0); copy < 0 || close(copy) != 0)
    return fail(cannot_write(place_.path, errno));
  KUTRACE_TRY(check_output_place(place_, file_.get()));
  KUTRACE_TRY(keep_old());
  const int folder = place_.folder.get();
  if (renameat(folder, part_.c_str(), folder, place_.name.c_str()) != 0)
    return fail(cannot_write(place_.path, errno));
  part_.clear();
  unfinished_ = UnfinishedFile();
  return check_name();
}

}  // namespace kutrace::files
