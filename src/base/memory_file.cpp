// SPDX-License-Identifier: BSD-3-Clause
// A descriptor without a name, see memory_file.h.
#include "base/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace kutrace {

Result<MemoryFile> MemoryFile::create(std::span<const std::byte> bytes, const std::string& name) {
  const auto error = [&] {
    return fail(host_error("cannot be kept in memory: " + errno_text(errno)).with_file(name));
  };
  MemoryFile file(memfd_create("kutrace", MFD_CLOEXEC));
  if (file.descriptor_ < 0) return error();
  while (!bytes.empty()) {
    const ssize_t written = write(file.descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return error();
    if (written > 0) bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return file;
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string MemoryFile::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

}  // namespace kutrace
