// SPDX-License-Identifier: BSD-3-Clause
// What is recorded of a system call beside its entry: all arguments, what they point to, and
// what its descriptors stand for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kutrace/abi.h"
#include "model/names.h"

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

// What a descriptor stands for that a call was given, or that it returned.
struct CallFile {
  static constexpr std::uint8_t kResult = 0xff;

  std::uint8_t argument = 0;  // or kResult
  NameId id = kNoName;
  std::string_view name;  // valid as long as the table of names
};

struct CallDetails {
  std::array<std::uint64_t, KUTRACE_MAX_ARGUMENTS> arguments{};
  std::uint8_t count = 0;  // of arguments; 0: not recorded
  std::vector<CallData> data;
  std::vector<CallFile> files;  // where it is known
  // What the call is about: the file of its path, what it opened, or what its descriptor stands
  // for.
  NameId file = kNoName;

  // What this argument points to, or the first string of it; null: it is not recorded.
  const CallData* data_of(std::size_t argument) const {
    for (const CallData& one : data) {
      if (one.argument == argument && !one.unreadable) return &one;
    }
    return nullptr;
  }
  const CallFile* file_of(std::uint8_t argument) const {
    for (const CallFile& known : files) {
      if (known.argument == argument) return &known;
    }
    return nullptr;
  }
};

}  // namespace kutrace
