// SPDX-License-Identifier: BSD-3-Clause
// Names by time, so that the order of names is that of snapshots.
#include "cli/snapshot_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/shell_pattern.h"
#include "cli/utc_name.h"
#include "files/invoking_user.h"

namespace kutrace::cli {

namespace {

constexpr const char* kSnapshotNames = "flight-????????T??????.???Z-*.raw";
constexpr mode_t kPrivateFolder = 0700;

struct KeptFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::int64_t age_ns = 0;
};

// Newest first.
std::vector<KeptFile> kept_files(const std::string& folder) {
  std::vector<KeptFile> files;
  std::error_code failed;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    struct stat status{};
    const std::string path = entry.path();
    if (!fits(kSnapshotNames, entry.path().filename())) continue;
    if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    files.push_back({path, static_cast<std::uint64_t>(status.st_size),
                     (now.tv_sec - status.st_mtim.tv_sec) * kNsPerSecond + now.tv_nsec -
                         status.st_mtim.tv_nsec});
  }
  std::ranges::sort(files, std::greater(), &KeptFile::path);
  return files;
}

}  // namespace

Result<SnapshotFolder> SnapshotFolder::open(const std::string& path, SnapshotLimits limits) {
  const files::AsInvokingUser user;
  if (mkdir(path.c_str(), kPrivateFolder) != 0 && errno != EEXIST)
    return fail(output_error("cannot make the folder of snapshots: " + errno_text(errno))
                    .with_file(path)
                    .with_hint("make it, or name another with -o"));
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return fail(output_error("is no folder").with_file(path).with_hint("name another with -o"));
  if (faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return fail(output_error("cannot write to it: " + errno_text(errno))
                    .with_file(path)
                    .with_hint("name another folder with -o"));
  return SnapshotFolder(path, limits);
}

std::string SnapshotFolder::new_path(std::string_view kind) const {
  const files::AsInvokingUser user;
  // As the folder is read when it is pruned, whether its name ends in / or not.
  const std::string begin =
      std::filesystem::path(path_) / fmt::format("flight-{}-{}", utc_milliseconds(), kind);
  std::string path = begin + ".raw";
  for (int more = 2; faccessat(AT_FDCWD, path.c_str(), F_OK, AT_EACCESS) == 0; ++more)
    path = fmt::format("{}-{}.raw", begin, more);
  return path;
}

std::vector<std::string> SnapshotFolder::prune(const std::vector<std::string>& kept) const {
  const files::AsInvokingUser user;
  std::vector<std::string> gone;
  std::size_t number = 0;
  std::uint64_t bytes = 0;
  for (const KeptFile& file : kept_files(path_)) {
    ++number;
    bytes += file.bytes;
    const bool is_too_much = (limits_.number != 0 && number > limits_.number) ||
                             (limits_.bytes != 0 && bytes > limits_.bytes) ||
                             (limits_.age != 0 && file.age_ns > limits_.age);
    if (number == 1 || !is_too_much || std::ranges::find(kept, file.path) != kept.end()) continue;
    if (unlink(file.path.c_str()) == 0) gone.push_back(file.path);
  }
  return gone;
}

}  // namespace kutrace::cli
