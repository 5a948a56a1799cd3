// SPDX-License-Identifier: BSD-3-Clause
// Arguments of system calls as strace shows them. In: a call's name and numbers; out: what stands
// between its parentheses, and behind the equals sign.
#pragma once

#include <string>
#include <string_view>

#include "model/call.h"

namespace kutrace::emit {

// All arguments, where the trace has them: words for flags, names of files, addresses, bytes, and
// what descriptors stand for ("3</etc/passwd>"). Else the first one, which most traces have 16 bits
// of, and "...".
std::string arguments_text(std::string_view name, const Call& call);
// The first argument alone.
std::string first_argument_text(std::string_view name, std::uint64_t argument);
// "3", "3</etc/passwd>", "-1 ENOENT", "0x7f0000001000"; "?" where no return was seen.
std::string result_text(std::string_view name, const Call& call);

}  // namespace kutrace::emit
