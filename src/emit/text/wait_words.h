// SPDX-License-Identifier: BSD-3-Clause
// What a wait is for, in words. In: its letter (WAIT table); out: "the disk", or "disk".
#pragma once

#include <string_view>
#include <vector>

#include "format/wait_word.h"

namespace kutrace::emit {

std::string_view waited_for(char letter);

// Of all reasons, in the order of the table.
std::vector<char> wait_letters();

}  // namespace kutrace::emit
