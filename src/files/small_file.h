// SPDX-License-Identifier: BSD-3-Clause
// Small text files of /proc and /sys.
#pragma once

#include <string>

namespace kutrace::files {

// The first line without its end; empty if the file cannot be read.
std::string read_line(const std::string& path);
// The whole file, or as much of it as can be read; empty if nothing can.
std::string read_text(const std::string& path);

}  // namespace kutrace::files
