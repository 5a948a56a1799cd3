// SPDX-License-Identifier: BSD-3-Clause
// Names of the errors that system calls return. In: what a call returned, a negative number; out:
// "ENOENT".
#pragma once

#include <string_view>

#include "base/units.h"

namespace kutrace {

// The kernel returns errors as -1 to -4095.
constexpr std::int64_t kMostErrno = 4095;

// Empty if `result` is no error, or one without a name.
std::string_view errno_name(std::int64_t result);

}  // namespace kutrace
