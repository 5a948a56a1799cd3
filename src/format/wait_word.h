// SPDX-License-Identifier: BSD-3-Clause
// Words for the reasons of waits. In: a reason's letter (WAIT table); out: a word; and back.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace kutrace {

// "disk" for "wait_disk"; "ready" for the wait for a CPU; "unexplained" for a wait that nothing
// explains.
std::string_view short_wait(char letter);

// The letter for which short_wait() gives this word; nothing if there is none.
std::optional<char> wait_called(std::string_view word);

// The letters of all reasons, in the order of the table.
std::vector<char> wait_letters();

}  // namespace kutrace
