// SPDX-License-Identifier: BSD-3-Clause
// What people call the reason of a wait. In: its letter (WAIT table); out: a word.
#pragma once

#include <string_view>

namespace kutrace {

// "disk" of "wait_disk"; of the wait for a CPU "ready"; of one that nothing explains "unexplained".
std::string_view short_wait(char letter);

}  // namespace kutrace
