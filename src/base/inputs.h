// SPDX-License-Identifier: BSD-3-Clause
// Which files this process reads. No output may take the place of one of them, by whatever name it
// was asked for, so a file is known by what the kernel says it is and not by its name.
#pragma once

#include <sys/stat.h>

namespace kutrace {

// Must be called for every file that is opened to be read.
void note_input(const struct stat& file);
bool is_input(const struct stat& file);

}  // namespace kutrace
