// SPDX-License-Identifier: BSD-3-Clause
// Small text files: of /proc and /sys, and settings.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "base/result.h"

namespace kutrace::files {

// The first line without its end; empty if the file cannot be read.
std::string read_line(const std::string& path);
// The whole file, or as much of it as can be read; empty if nothing can.
std::string read_text(const std::string& path);
// As much as there is, up to `most` bytes; -1: it cannot be read, as errno says.
ssize_t read_up_to(int descriptor, void* to, std::size_t most);
// The whole file, which is refused if there is more of it; why it cannot be read, as a host error.
Result<std::string> read_at_most(const std::string& path, std::size_t bytes);

}  // namespace kutrace::files
