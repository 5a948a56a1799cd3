// SPDX-License-Identifier: BSD-3-Clause
// What went wrong, in a form that the command line prints as one clear sentence plus a next step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kutrace {

// The kind decides the exit code (cli/exit_code.h).
enum class ErrorKind {
  kUsage,     // the caller asked for something that makes no sense
  kInput,     // a file cannot be used
  kHost,      // this machine cannot do it: permission, kernel feature, missing module
  kOutput,    // a file cannot be written
  kInternal,  // a bug
};

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string sentence;
  std::string file;                    // empty: not about a file
  std::optional<std::uint64_t> byte;   // offset in that file
  std::optional<std::uint64_t> block;  // number of the 64 KiB block
  std::optional<std::uint32_t> cpu;
  std::string hint;                 // what to do next; empty: nothing known
  std::vector<std::string> causes;  // from the nearest to the deepest

  Error with_file(std::string name) && {
    file = std::move(name);
    return std::move(*this);
  }
  Error with_byte(std::uint64_t offset) && {
    byte = offset;
    return std::move(*this);
  }
  Error with_block(std::uint64_t number) && {
    block = number;
    return std::move(*this);
  }
  Error with_cpu(std::uint32_t number) && {
    cpu = number;
    return std::move(*this);
  }
  Error with_hint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
  }
  Error because(std::string text) && {
    causes.push_back(std::move(text));
    return std::move(*this);
  }
};

Error usage_error(std::string sentence);
Error input_error(std::string sentence);
Error host_error(std::string sentence);
Error output_error(std::string sentence);
Error internal_error(std::string sentence);

// strerror(number) as a sentence without a trailing period.
std::string errno_text(int number);

// The lines that are printed for it, without a trailing newline:
//   run1.trace: byte 786752 (block 12, CPU 3): entry needs 5 words, 3 are left
//     because: ...
//     hint: ...
std::string describe(const Error& error);

}  // namespace kutrace
