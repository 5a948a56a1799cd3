// SPDX-License-Identifier: BSD-3-Clause
// The null device stands in for what is closed.
#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>

namespace kutrace::cli {

// A new descriptor gets the lowest number that is free.
void hold_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    const int unusable = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", number == STDERR_FILENO ? O_RDWR : unusable) != number) std::abort();
  }
}

}  // namespace kutrace::cli
