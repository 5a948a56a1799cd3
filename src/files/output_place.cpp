// SPDX-License-Identifier: BSD-3-Clause
// The walk along symbolic links to the folder that holds the last name, and who else uses it.
#include "files/output_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <memory>
#include <optional>

#include "base/inputs.h"

namespace kutrace {

namespace {

constexpr int kMostLinks = 40;
constexpr std::string_view kPart = ".part";
constexpr std::size_t kRandomLetters = 8;

Error cannot_write(const std::string& path, int number) {
  return output_error("cannot be written: " + errno_text(number))
      .with_file(path)
      .with_hint("choose another place with -o");
}

Descriptor open_folder(const Descriptor& at, const std::string& path) {
  const int base = at ? at.get() : AT_FDCWD;
  return Descriptor(openat(base, path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

bool is_on_proc(const Descriptor& folder) {
  struct statfs system{};
  return fstatfs(folder.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// N of /proc/self/fd/N.
std::optional<int> own_descriptor(const Descriptor& folder, const std::string& name) {
  struct stat here{};
  struct stat own{};
  if (fstat(folder.get(), &here) != 0 || stat("/proc/self/fd", &own) != 0) return std::nullopt;
  if (!is_same_file(here, own)) return std::nullopt;
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// As the kernel does where fs.protected_symlinks is set, and in folders that are not sticky, too.
bool may_follow(const Descriptor& folder, const struct stat& link) {
  struct stat status{};
  if (fstat(folder.get(), &status) != 0) return false;
  if ((status.st_mode & S_IWOTH) == 0) return true;
  const auto asking = static_cast<uid_t>(setfsuid(static_cast<uid_t>(-1)));  // only asks
  return link.st_uid == asking || link.st_uid == status.st_uid;
}

Result<Descriptor> stream_to(int descriptor, const std::string& path) {
  Descriptor copy(fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!copy) return fail(cannot_write(path, errno));
  return copy;
}

std::string target_of(const Descriptor& folder, const std::string& link) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = readlinkat(folder.get(), link.c_str(), text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

// Folder and name of the last component.
std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
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

// What is neither file nor folder nor link is written to as it is.
Status open_stream(OutputPlace& place) {
  place.stream = Descriptor(
      openat(place.folder.get(), place.name.c_str(), O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  if (!place.stream) return fail(cannot_write(place.path, errno));
  return {};
}

// The target of the link at the place; empty where it stands for an open descriptor.
Result<std::string> follow(OutputPlace& place, const struct stat& link) {
  if (is_on_proc(place.folder)) {
    const auto number = own_descriptor(place.folder, place.name);
    if (!number) return fail(cannot_write(place.path, EACCES));
    KUTRACE_ASSIGN(place.stream, stream_to(*number, place.path));
    return std::string();
  }
  if (!may_follow(place.folder, link)) {
    return fail(output_error("is a link that somebody else put into a folder open to all")
                    .with_file(place.path)
                    .with_hint("choose another place with -o"));
  }
  return target_of(place.folder, place.name);
}

// Goes to a path, from the folder of the place where it is relative. Leaves where a link there
// leads to, or nothing if the place is found.
Result<std::string> step(OutputPlace& place, const std::string& path) {
  const auto [folder, name] = split(path);
  Descriptor next = open_folder(place.folder, folder);
  if (!next) return fail(cannot_write(place.path, errno));
  place.folder = std::move(next);
  place.name = name;
  if (name.empty()) return fail(cannot_write(place.path, EISDIR));
  struct stat status{};
  if (fstatat(place.folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::string();
    return fail(cannot_write(place.path, errno));
  }
  if (S_ISREG(status.st_mode)) return std::string();
  if (S_ISDIR(status.st_mode)) return fail(cannot_write(place.path, EISDIR));
  if (S_ISLNK(status.st_mode)) return follow(place, status);
  KUTRACE_TRY(open_stream(place));
  return std::string();
}

}  // namespace

Result<OutputPlace> find_output_place(const std::string& path) {
  OutputPlace place;
  place.path = path == "-" ? "(standard output)" : path;
  if (path == "-" || path == "/dev/stdout") {
    KUTRACE_ASSIGN(place.stream, stream_to(STDOUT_FILENO, place.path));
    return place;
  }
  std::string rest = path;
  for (int links = 0; links < kMostLinks; ++links) {
    KUTRACE_ASSIGN(rest, step(place, rest));
    if (rest.empty()) return place;
  }
  return fail(cannot_write(path, ELOOP));
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

}  // namespace kutrace
