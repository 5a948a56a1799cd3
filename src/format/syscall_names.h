// SPDX-License-Identifier: BSD-3-Clause
// Names of system calls. In: a machine's architecture; out: its calls, by number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kutrace {

struct NumberedName {
  std::uint32_t number;
  const char* name;
};

// `machine` is what uname calls it: x86_64, aarch64. Empty for any other: its calls stay numbers,
// as a wrong name is worse than none.
std::span<const NumberedName> syscall_names(std::string_view machine);

// Calls of 32-bit programs on that machine; known for x86_64 only.
std::span<const NumberedName> syscall32_names(std::string_view machine);

}  // namespace kutrace
