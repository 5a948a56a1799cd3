// SPDX-License-Identifier: BSD-3-Clause
// Exclusive creation, and renaming.
#include "files/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "files/invoking_user.h"

namespace kutrace {

namespace {

constexpr mode_t kPrivate = 0600;  // traces hold addresses and command lines of everybody
constexpr const char* kOld = ".old";

}  // namespace

Error NewFile::error(int number) const {
  return output_error("cannot be written: " + errno_text(number))
      .with_file(place_.path)
      .with_hint(number == ENOSPC ? "make room there, or choose another place with -o"
                                  : "choose another place with -o");
}

Result<NewFile> NewFile::create(const std::string& path, Purpose purpose) {
  const AsInvokingUser user;
  KUTRACE_ASSIGN(OutputPlace place, find_output_place(path));
  KUTRACE_TRY(check_output_place(place, -1));
  NewFile file(std::move(place), purpose);
  if (!file.is_stream()) KUTRACE_TRY(file.make_file());
  return file;
}

Status NewFile::make_file() {
  do {
    part_ = name_of_part(place_.name);
    file_ = Descriptor(openat(place_.folder.get(), part_.c_str(),
                              O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate));
  } while (!file_ && errno == EEXIST);
  if (!file_) {
    part_.clear();
    return fail(error(errno));
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

Status NewFile::keep_old() const {
  struct stat old{};
  const int folder = place_.folder.get();
  if (fstatat(folder, place_.name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0 || old.st_size == 0)
    return {};
  OutputPlace kept;
  kept.path = place_.path + kOld;
  kept.folder = Descriptor(fcntl(folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  kept.name = place_.name + kOld;
  KUTRACE_TRY(check_output_place(kept, file_.get()));
  if (renameat(folder, place_.name.c_str(), folder, kept.name.c_str()) != 0)
    return fail(error(errno));
  return {};
}

Status NewFile::take_name() {
  if (is_stream() || part_.empty()) return {};
  // Some file systems tell only when a descriptor is closed that a write failed.
  if (const int copy = fcntl(file_.get(), F_DUPFD_CLOEXEC, 0); copy < 0 || close(copy) != 0)
    return fail(error(errno));
  const AsInvokingUser user;
  KUTRACE_TRY(check_output_place(place_, file_.get()));
  if (purpose_ == Purpose::kRecording) KUTRACE_TRY(keep_old());
  const int folder = place_.folder.get();
  if (renameat(folder, part_.c_str(), folder, place_.name.c_str()) != 0) return fail(error(errno));
  part_.clear();
  return {};
}

}  // namespace kutrace
