// SPDX-License-Identifier: BSD-3-Clause
// Exclusive creation, few open files, renaming.
#include "files/new_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "files/files.h"
#include "files/flat_folder.h"
#include "files/invoking_user.h"
#include "files/path_walk.h"

namespace kutrace::files {

namespace {

// Traces hold addresses and command lines of everybody.
constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kPrivateFolder = 0700;
// Far fewer than a process may have; a machine of many CPUs has more files.
constexpr std::size_t kMostOpen = 64;
constexpr std::size_t kMostLate = std::size_t{1} << 18;  // pieces: 10 MB

Error is_taken(const std::string& path, const char* by) {
  return output_error(std::string("is ") + by + ", and the output is a new folder")
      .with_file(path)
      .with_hint("move it away, or choose another place with -o");
}

}  // namespace

Result<NewFolder> NewFolder::create(const std::string& path) {
  const AsInvokingUser user;
  const std::size_t last = path.find_last_not_of('/');
  const std::string plain = path.substr(0, last == std::string::npos ? 1 : last + 1);
  struct stat there{};
  if (stat(plain.c_str(), &there) == 0 && S_ISDIR(there.st_mode))
    return fail(is_taken(path, "a folder already"));
  KUTRACE_ASSIGN(WalkEnd end, walk_to(plain));
  if (end.there) return fail(is_taken(path, S_ISREG(end.there->st_mode) ? "a file" : "no folder"));
  OutputPlace place;
  place.path = path;
  place.folder = std::move(end.folder);
  place.name = std::move(end.name);
  KUTRACE_TRY(check_output_place(place, -1));
  NewFolder folder(std::move(place));
  KUTRACE_TRY(folder.make_folder());
  return folder;
}

Status NewFolder::make_folder() {
  int made = 0;
  do {
    part_ = name_of_part(place_.name);
    unfinished_ = UnfinishedFile(place_.folder.get(), part_);
    made = mkdirat(place_.folder.get(), part_.c_str(), kPrivateFolder);
  } while (made != 0 && errno == EEXIST);
  if (made != 0) {
    part_.clear();
    return fail(cannot_write(place_.path, errno));
  }
  folder_ = Descriptor(
      openat(place_.folder.get(), part_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder_) return fail(cannot_write(place_.path, errno));
  return {};
}

NewFolder::~NewFolder() {
  if (part_.empty()) return;
  const AsInvokingUser user;
  remove_flat_folder(place_.folder.get(), part_.c_str());
}

int NewFolder::open_file(const std::string& file) {
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second.get();
  if (files_.size() == kMostOpen) files_.clear();
  const AsInvokingUser user;
  Descriptor opened(
      openat(folder_.get(), file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kPrivateFile));
  if (!opened || lseek(opened.get(), 0, SEEK_END) < 0) return -1;
  return files_.emplace(file, std::move(opened)).first->second.get();
}

int NewFolder::append(const std::string& file, std::string_view bytes) {
  const int descriptor = open_file(file);
  return descriptor < 0 ? errno : write_all(descriptor, bytes);
}

int NewFolder::overwrite(const std::string& file, std::uint64_t offset, std::string_view bytes) {
  late_[file].add(offset, bytes);
  return ++late_pieces_ < kMostLate ? 0 : write_late();
}

int NewFolder::write_late() {
  late_pieces_ = 0;
  for (auto& [name, late] : late_) {
    const int descriptor = open_file(name);
    if (descriptor < 0) return errno;
    if (const int failed = late.write(descriptor); failed != 0) return failed;
  }
  return 0;
}

// Some file systems tell only when a descriptor is closed that a write failed.
Status NewFolder::close_files() {
  for (const auto& [name, file] : files_) {
    if (const int copy = fcntl(file.get(), F_DUPFD_CLOEXEC, 0); copy < 0 || close(copy) != 0)
      return fail(cannot_write(place_.path, errno));
  }
  files_.clear();
  return {};
}

Status NewFolder::take_name() {
  const AsInvokingUser user;
  if (const int failed = write_late(); failed != 0) return fail(cannot_write(place_.path, failed));
  KUTRACE_TRY(close_files());
  const int folder = place_.folder.get();
  if (renameat2(folder, part_.c_str(), folder, place_.name.c_str(), RENAME_NOREPLACE) != 0)
    return fail(cannot_write(place_.path, errno));
  part_.clear();
  unfinished_ = UnfinishedFile();
  return {};
}

}  // namespace kutrace::files
