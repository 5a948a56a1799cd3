// SPDX-License-Identifier: BSD-3-Clause
// Small calls on files, see files.h.
#include "files/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "files/invoking_user.h"
#include "files/output_place.h"

namespace kutrace::files {

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool is_special(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

std::string temporary_folder() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/var/tmp";
}

Result<std::string> save_somewhere(const std::string& name,
                                   const std::function<Status(const std::string& path)>& save) {
  Error why;
  for (const std::string& folder : {temporary_folder(), std::string("/tmp")}) {
    std::string path = folder + "/" + unpredictable_name(name);
    Status saved = save(path);
    if (saved) return path;
    why = std::move(saved).error();
  }
  return fail(std::move(why));
}

Result<int> nameless_file(const std::string& folder) {
  const AsInvokingUser user;
  std::string name = folder + "/.kutrace.XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) {
    return fail(output_error("no temporary file can be made: " + errno_text(errno))
                    .with_file(folder)
                    .with_hint("make room there, or write the output elsewhere"));
  }
  ::unlink(name.c_str());
  return descriptor;
}

}  // namespace kutrace::files
