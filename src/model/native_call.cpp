// SPDX-License-Identifier: BSD-3-Clause
// What only 32-bit programs call so, as in the kernel's arch/x86/entry/syscalls/syscall_32.tbl.
#include "model/native_call.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kutrace {

std::string_view native_call(std::string_view name) {
  constexpr std::string_view kWideTimes = "_time64";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kOther = {{
      {"_newselect", "select"},
      {"clock_gettime64", "clock_gettime"},
      {"fcntl64", "fcntl"},
      {"ftruncate64", "ftruncate"},
      {"geteuid32", "geteuid"},
      {"getuid32", "getuid"},
      {"mmap2", "mmap"},
      {"sendfile64", "sendfile"},
      {"waitpid", "wait4"},
  }};
  if (name.ends_with(kWideTimes)) name.remove_suffix(kWideTimes.size());
  const auto* found =
      std::ranges::find(kOther, name, [](const auto& other) { return other.first; });
  return found == kOther.end() ? name : found->second;
}

}  // namespace kutrace
