// SPDX-License-Identifier: BSD-3-Clause
// What is recorded of a system call beside its entry: all arguments, and what they point to.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kutrace/abi.h"

namespace kutrace {

// What one argument points to, or one string of an argv.
struct CallData {
  std::uint8_t argument = 0;  // 0..5
  std::uint16_t item = 0;     // of an argv: which
  bool cut = false;           // there was more
  bool unreadable = false;    // no bytes: the memory was not there
  bool late = false;          // read when the call returned, though the kernel was given it before
  std::string bytes;
};

struct CallDetails {
  std::array<std::uint64_t, KUTRACE_MAX_ARGUMENTS> arguments{};
  std::uint8_t count = 0;  // of arguments; 0: not recorded
  std::vector<CallData> data;
};

}  // namespace kutrace
