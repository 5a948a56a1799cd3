// SPDX-License-Identifier: BSD-3-Clause
// In: the name of a system call; out: that of the 64-bit call which does the same. Programs of 32
// bits have some under other names: `waitpid`, `mmap2`, and those with a suffix for wider times.
#pragma once

#include <string_view>

namespace kutrace {

// `wait4` of `waitpid`, `futex` of `futex_time64`; any other name as it is. The text lives as long
// as `name`, or for ever.
std::string_view native_call(std::string_view name);

}  // namespace kutrace
