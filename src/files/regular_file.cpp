// SPDX-License-Identifier: BSD-3-Clause
// First what it is, then the same one to read.
#include "files/regular_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace kutrace::files {

Descriptor open_regular(const std::string& path) {
  const Descriptor place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat facts{};
  if (!place || fstat(place.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return Descriptor();
  return Descriptor(
      open(fmt::format("/proc/self/fd/{}", place.get()).c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace kutrace::files
