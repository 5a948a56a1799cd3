// SPDX-License-Identifier: BSD-3-Clause
// The files that this process reads. No output may replace one of them, whatever name it was given,
// so a file is known by its device and inode and not by its name.
#pragma once

#include <sys/stat.h>

namespace kutrace {

// Must be called for every file that is opened to be read.
void note_input(const struct stat& file);
bool is_input(const struct stat& file);

}  // namespace kutrace
