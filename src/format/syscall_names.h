// SPDX-License-Identifier: BSD-3-Clause
// A machine's architecture to the names of its system calls.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kutrace {

struct NumberedName {
  std::uint32_t number;
  const char* name;
};

// `machine` is what uname says: x86_64, aarch64. Empty for others: their calls stay numbers, since
// a wrong name is worse than none.
std::span<const NumberedName> syscall_names(std::string_view machine);

// Of 32-bit programs on that machine; known for x86_64.
std::span<const NumberedName> syscall32_names(std::string_view machine);

}  // namespace kutrace
