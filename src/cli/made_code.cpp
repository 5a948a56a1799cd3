// SPDX-License-Identifier: BSD-3-Clause
// Opens, looks whose it is, reads.
#include "cli/made_code.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/mapped_file.h"
#include "files/invoking_user.h"

namespace kutrace::cli {

namespace {

constexpr const char* kPerfFolder = "/tmp";

bool is_trusted(uid_t owner) {
  if (owner == 0 || owner == geteuid()) return true;
  const auto user = files::invoking_user();
  return user && owner == user->uid;
}

}  // namespace

Result<std::string> made_code_of(Pid process, const std::string& folder) {
  const std::string path =
      fmt::format("{}/perf-{}.map", folder.empty() ? kPerfFolder : folder, process);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return fail(input_error(errno_text(errno)).with_file(path));
  struct stat facts{};
  const bool known = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  const bool usable = known && (!folder.empty() || is_trusted(facts.st_uid));
  // By its descriptor: the name may stand for another file by now.
  auto text = usable ? MappedFile::open(fmt::format("/proc/self/fd/{}", file))
                     : fail(input_error("belongs to another user")
                                .with_file(path)
                                .with_hint("--perf-maps FOLDER takes it nevertheless"));
  close(file);
  if (!text) return fail(std::move(text).error());
  const auto bytes = text->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace kutrace::cli
