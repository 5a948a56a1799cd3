// SPDX-License-Identifier: BSD-3-Clause
// Path to trace.
#include "cli/input.h"

namespace kutrace {

Result<RawFile> open_trace(const std::string& path) {
  KUTRACE_ASSIGN(MappedFile file, MappedFile::open(path));
  return RawFile::open(std::move(file));
}

}  // namespace kutrace
