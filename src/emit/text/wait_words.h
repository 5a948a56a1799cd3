// SPDX-License-Identifier: BSD-3-Clause
// What a wait is for, in words. In: its letter (WAIT table); out: "the disk", or "disk".
#pragma once

#include <string_view>

#include "format/wait_word.h"

namespace kutrace::emit {

// `of_lock`: in a call that waits for locks alone, not for threads.
std::string_view waited_for(char letter, bool of_lock = false);

}  // namespace kutrace::emit
