// SPDX-License-Identifier: BSD-3-Clause
// What Linux's system calls take, on x86-64: of each argument its kind and its name. In: the name
// of a call; out: its arguments in order, and the words of flags.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kutrace {

enum class ArgumentKind : std::uint8_t {
  kSigned,  // int, or long
  kUnsigned,
  kHex,  // bits without names
  kPointer,
  kPath,        // points to a string
  kStrings,     // points to pointers to strings: argv
  kBufferIn,    // points to as many bytes as the next argument says
  kPathOut,     // points to room for a string as long as the call returns, NUL included
  kBufferOut,   // points to room for as many bytes as the call returns
  kAddressIn,   // of a socket; the next argument is its length
  kAddressOut,  // of a socket; the next argument points to its length
  kPair,        // points to room for two descriptors
  kDescriptor,
  kFolder,  // a descriptor, or AT_FDCWD
  kMode,    // of a file: octal
  kFlags,   // words of the set `flags`
};

struct CallArgument {
  ArgumentKind kind = ArgumentKind::kHex;
  std::string_view flags;  // name of a set (format/flag_names.def)
  std::string_view name;
};

// At most six arguments; null if the call is not known. The pointer stays valid.
const std::vector<CallArgument>* arguments_of(std::string_view call);

// "O_WRONLY|O_CREAT". Bits without a name follow as a number: "O_RDONLY|0x8000000".
std::string flags_text(std::string_view set, std::uint64_t value);

}  // namespace kutrace
