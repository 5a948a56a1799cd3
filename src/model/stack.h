// SPDX-License-Identifier: BSD-3-Clause
// How a thread came to where it was sampled, or where it went off its CPU.
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "model/names.h"

namespace kutrace {

// What stands for a stack that the trace does not hold.
constexpr const char* kStackLost = "[no room for the stack]";
constexpr const char* kStackUnknown = "[stack not recorded]";
constexpr const char* kStackCut = "[cut]";

struct Stack {
  // Names of its functions, the outermost first, with ; between them: those of the program, then of
  // the kernel. It is what spans have as their stack.
  NameId name = kNoName;
  Ns time = 0;
  Pid process = kNoPid;
  // Addresses, the innermost first; see format/symbol_text.h. Valid while it is handed
  // over.
  std::span<const std::uint64_t> user;
  std::span<const std::uint64_t> kernel;
};

}  // namespace kutrace
