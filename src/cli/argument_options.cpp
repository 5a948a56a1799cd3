// SPDX-License-Identifier: BSD-3-Clause
// Options to calls.
#include "cli/argument_options.h"

namespace kutrace::cli {

void add_argument_options(const Command& command, ArgumentOptions& options) {
  command.add_flag("--args", options.arguments,
                   "all arguments of system calls, not just the first");
  command.add_flag("--strings", options.strings,
                   "also what they point to: file names, argv, addresses, buffers");
  command
      .add_option("--string-bytes", options.string_bytes,
                  "as --strings, with this many bytes of a buffer (32)")
      .between(1, record::kMostStringBytes);
  command
      .add_option("--syscalls", options.calls,
                  "arguments of these calls only: names, or file desc net process ...")
      .list();
}

Result<record::CallChoice> arguments_from(const ArgumentOptions& options) {
  record::CallChoice choice;
  if (!options.is_set()) return choice;
  KUTRACE_ASSIGN(choice.calls, record::choose_calls(options.calls));
  if (options.strings || options.string_bytes)
    choice.string_bytes = options.string_bytes.value_or(record::kUsualStringBytes);
  return choice;
}

}  // namespace kutrace::cli
