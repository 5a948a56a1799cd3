// SPDX-License-Identifier: BSD-3-Clause
// What a wait is for, in words. In: its letter (WAIT table); out: "the disk".
#pragma once

#include <string_view>

namespace kutrace::emit {

std::string_view waited_for(char letter);

}  // namespace kutrace::emit
