// SPDX-License-Identifier: BSD-3-Clause
// System calls that never return. By name, as numbers of system calls differ between machines.
#pragma once

#include <string_view>

namespace kutrace {

inline bool ends_thread(std::string_view call) { return call == "exit" || call == "exit_group"; }

}  // namespace kutrace
