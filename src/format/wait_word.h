// SPDX-License-Identifier: BSD-3-Clause
// What people call the reason of a wait. In: its letter (WAIT table); out: a word; and back.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace kutrace {

// "disk" of "wait_disk"; of the wait for a CPU "ready"; of one that nothing explains "unexplained".
std::string_view short_wait(char letter);

// The one that short_wait() calls so.
std::optional<char> wait_called(std::string_view word);

// Of all reasons, in the order of the table.
std::vector<char> wait_letters();

}  // namespace kutrace
