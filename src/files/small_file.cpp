// SPDX-License-Identifier: BSD-3-Clause
// Whole reads, because the files of /proc have no size.
#include "files/small_file.h"

#include <array>
#include <cstddef>
#include <fstream>

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

}  // namespace kutrace::files
