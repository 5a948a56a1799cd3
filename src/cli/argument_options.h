// SPDX-License-Identifier: BSD-3-Clause
// --args, --strings, --string-bytes and --syscalls: what of system calls is recorded. In: options;
// out: a choice of calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "record/source/call_choice.h"

namespace kutrace::cli {

struct ArgumentOptions {
  bool arguments = false;
  bool strings = false;
  std::optional<std::uint32_t> string_bytes;
  std::vector<std::string> calls;

  bool is_set() const { return arguments || strings || string_bytes || !calls.empty(); }
};

void add_argument_options(const Command& command, ArgumentOptions& options);

// Each of the options asks for all that it needs.
Result<record::CallChoice> arguments_from(const ArgumentOptions& options);

}  // namespace kutrace::cli
