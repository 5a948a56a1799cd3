// SPDX-License-Identifier: BSD-3-Clause
// Whole reads, because the files of /proc have no size.
#include "files/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>

#include "files/descriptor.h"

namespace kutrace::files {

std::string read_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::string text;
  // Of a process that ends meanwhile reads fail, which a stream's buffer throws and read() does
  // not.
  for (std::array<char, 4096> part{}; in;) {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

ssize_t read_up_to(int descriptor, void* to, std::size_t most) {
  std::size_t size = 0;
  while (size < most) {
    const ssize_t got = read(descriptor, static_cast<char*>(to) + size, most - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(size);
}

Result<std::string> read_at_most(const std::string& path, std::size_t bytes) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  std::string text(bytes + 1, '\0');
  const ssize_t got = file ? read_up_to(file.get(), text.data(), text.size()) : -1;
  if (got < 0) return fail(host_error(fmt::format("cannot read {}: {}", path, errno_text(errno))));
  const auto size = static_cast<std::size_t>(got);
  if (size > bytes) return fail(host_error(fmt::format("{} is longer than {} bytes", path, bytes)));
  text.resize(size);
  return text;
}

}  // namespace kutrace::files
