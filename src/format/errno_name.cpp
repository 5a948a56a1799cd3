// SPDX-License-Identifier: BSD-3-Clause
// The C library's names, and those that only the kernel and its tracers see.
#include "format/errno_name.h"

#include <cstring>

namespace kutrace {

namespace {

// include/linux/errno.h: a signal came, and the call is to be made again.
std::string_view kernel_name(int number) {
  switch (number) {
    case 512:
      return "ERESTARTSYS";
    case 513:
      return "ERESTARTNOINTR";
    case 514:
      return "ERESTARTNOHAND";
    case 515:
      return "ENOIOCTLCMD";
    case 516:
      return "ERESTART_RESTARTBLOCK";
    default:
      return {};
  }
}

}  // namespace

std::string_view errno_name(std::int64_t result) {
  if (result >= 0 || result < -kMostErrno) return {};
  const int number = static_cast<int>(-result);
  const char* const name = strerrorname_np(number);
  return name != nullptr ? std::string_view(name) : kernel_name(number);
}

}  // namespace kutrace
