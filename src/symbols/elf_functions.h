// SPDX-License-Identifier: BSD-3-Clause
// All functions of an ELF file, as its symbols name them. In: the file; out: where each begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace kutrace::symbols {

struct ElfFunction {
  std::uint64_t offset = 0;  // of its first instruction, in the file
  std::string symbol;        // without a version
};

// By offset, each symbol once. Functions that are chosen when the program starts (such as memcpy,
// one for each kind of processor) stand under the names of what is chosen from, if these have any.
struct ElfFunctions {
  std::vector<ElfFunction> all;
  bool throws = false;       // code of it throws C++ exceptions, or lets them pass
  bool has_go_code = false;  // made by Go's compiler, in all of it or a part
};
Result<ElfFunctions> elf_functions(const std::string& path);

}  // namespace kutrace::symbols
