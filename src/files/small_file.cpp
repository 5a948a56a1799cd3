// SPDX-License-Identifier: BSD-3-Clause
// Whole reads, because the files of /proc have no size.
#include "files/small_file.h"

#include <fstream>
#include <iterator>

namespace kutrace::files {

std::string read_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace kutrace::files
