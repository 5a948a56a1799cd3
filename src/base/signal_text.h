// SPDX-License-Identifier: BSD-3-Clause
// What people call a signal: "SIGTERM"; "signal 34" where it has no name.
#pragma once

#include <string>

namespace kutrace {

std::string signal_text(int number);

}  // namespace kutrace
