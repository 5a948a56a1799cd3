// SPDX-License-Identifier: BSD-3-Clause
// The kernel's own call, as opendir allocates.
#include "files/flat_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>

namespace kutrace::files {

void remove_flat_folder(int parent, const char* name) {
  constexpr std::size_t kNames = 4096;
  const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, kNames> names{};
  for (bool removed = true; removed;) {
    removed = false;
    lseek(folder, 0, SEEK_SET);
    ssize_t size = 0;
    while ((size = getdents64(folder, names.data(), names.size())) > 0) {
      for (ssize_t at = 0; at < size;) {
        const auto* const entry =
            reinterpret_cast<const dirent64*>(names.data() + static_cast<std::size_t>(at));
        removed = unlinkat(folder, entry->d_name, 0) == 0 || removed;
        at += entry->d_reclen;
      }
    }
  }
  close(folder);
  unlinkat(parent, name, AT_REMOVEDIR);
}

}  // namespace kutrace::files
