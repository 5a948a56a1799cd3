// SPDX-License-Identifier: BSD-3-Clause
// The place at the end of a path, and who else uses it.
#include "files/output_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/inputs.h"
#include "files/invoking_user.h"
#include "files/path_walk.h"

namespace kutrace::files {

namespace {

constexpr std::string_view kPart = ".part";
constexpr std::size_t kRandomLetters = 8;
constexpr int kTriesForReader = 40;
constexpr unsigned kReaderWait_us = 50'000;

Result<Descriptor> stream_to(int descriptor, const std::string& path) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
    return fail(output_error("is closed, or not open to be written").with_file(path));
  Descriptor copy(fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!copy) return fail(cannot_write(path, errno));
  return copy;
}

Error would_replace_input(const std::string& path) {
  return usage_error("the output would replace what is read")
      .with_file(path)
      .with_hint("choose another -o FILE");
}

Error would_replace_recording(const std::string& path) {
  return output_error("is being recorded by another kutrace")
      .with_file(path)
      .with_hint("wait until it ends, or choose another -o FILE");
}

// The files in the folder whose recorder has not ended yet, this one excepted.
Status check_parts(const OutputPlace& place, int own) {
  struct stat mine{};
  if (own >= 0 && fstat(own, &mine) != 0) return fail(cannot_write(place.path, errno));
  const int listing = openat(place.folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(listing < 0 ? nullptr : fdopendir(listing),
                                                   closedir);
  if (!folder) return {};  // names that cannot be listed cannot be guessed either
  while (const dirent* entry = readdir(folder.get())) {
    if (!is_part_of(entry->d_name, place.name)) continue;
    const Descriptor part(
        openat(place.folder.get(), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status{};
    if (!part || fstat(part.get(), &status) != 0 || is_same_file(status, mine)) continue;
    if (is_being_recorded(part.get())) return fail(would_replace_recording(place.path));
  }
  return {};
}

// Who reads a named pipe may be about to open it; who waits for ever for that says nothing.
Result<Descriptor> open_stream(const OutputPlace& place, bool is_pipe) {
  const int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
  for (int tries = 0;; ++tries) {
    Descriptor stream(
        openat(place.folder.get(), place.name.c_str(), flags | (is_pipe ? O_NONBLOCK : 0)));
    if (stream && is_pipe) fcntl(stream.get(), F_SETFL, 0);
    if (stream) return stream;
    if (!is_pipe || errno != ENXIO) return fail(cannot_write(place.path, errno));
    if (tries == kTriesForReader) break;
    usleep(kReaderWait_us);
  }
  return fail(output_error("is a pipe that nobody reads")
                  .with_file(place.path)
                  .with_hint("start its reader first"));
}

}  // namespace

// A device keeps nothing in which two could be mixed; terminals are asked for on their own.
bool is_standard_output(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return true;
  const AsInvokingUser user;
  const auto end = walk_to(path);
  if (!end) return false;
  if (end->own_descriptor == STDOUT_FILENO) return true;
  struct stat place{};
  struct stat own{};
  if (end->own_descriptor >= 0) {
    if (fstat(end->own_descriptor, &place) != 0) return false;
  } else if (end->there && S_ISFIFO(end->there->st_mode)) {
    place = *end->there;
  } else {
    return false;  // a new file takes its place
  }
  return fstat(STDOUT_FILENO, &own) == 0 && is_same_file(place, own) && !S_ISCHR(own.st_mode);
}

Result<OutputPlace> find_output_place(const std::string& path) {
  OutputPlace place;
  place.path = path == "-" ? "(standard output)" : path;
  if (path == "-" || path == "/dev/stdout") {
    KUTRACE_ASSIGN(place.stream, stream_to(STDOUT_FILENO, place.path));
    return place;
  }
  KUTRACE_ASSIGN(WalkEnd end, walk_to(path));
  place.folder = std::move(end.folder);
  place.name = std::move(end.name);
  if (end.own_descriptor >= 0) {
    KUTRACE_ASSIGN(place.stream, stream_to(end.own_descriptor, path));
  } else if (end.there && !S_ISREG(end.there->st_mode)) {
    KUTRACE_ASSIGN(place.stream, open_stream(place, S_ISFIFO(end.there->st_mode)));
  }
  return place;
}

// A lock of the open file: it ends with its process, and asking for it takes nothing. Of a new file
// it fails only where there are no locks (CONFIG_FILE_LOCKING, NFS without its lock daemon).
void hold_while_writing(int descriptor) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  (void)fcntl(descriptor, F_OFD_SETLK, &lock);
}

bool is_being_recorded(int descriptor) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

Status check_output_place(const OutputPlace& place, int own) {
  struct stat status{};
  if (place.stream) {
    if (fstat(place.stream.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    if (is_input(status)) return fail(would_replace_input(place.path));
    if (is_being_recorded(place.stream.get())) return fail(would_replace_recording(place.path));
    return {};
  }
  if (fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    if (is_input(status)) return fail(would_replace_input(place.path));
    const Descriptor old(openat(place.folder.get(), place.name.c_str(),
                                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    // What may not even be looked at is somebody else's.
    if (!old) return fail(cannot_write(place.path, errno));
    struct stat mine{};
    const bool is_own = own >= 0 && fstat(own, &mine) == 0 && is_same_file(mine, status);
    if (!is_own && is_being_recorded(old.get())) return fail(would_replace_recording(place.path));
  }
  return check_parts(place, own);
}

std::string unpredictable_name(const std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  std::array<unsigned char, kRandomLetters> random{};
  while (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
  }
  std::string result = name + ".";
  for (const unsigned char byte : random) result += kLetters[byte % kLetters.size()];
  return result;
}

std::string name_of_part(const std::string& name) { return unpredictable_name(name).append(kPart); }

bool is_part_of(const std::string& candidate, const std::string& name) {
  return candidate.size() == name.size() + 1 + kRandomLetters + kPart.size() &&
         candidate.starts_with(name + ".") && candidate.ends_with(kPart);
}

}  // namespace kutrace::files
