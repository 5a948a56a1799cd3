// SPDX-License-Identifier: BSD-3-Clause
// How a subcommand plugs into the program: one add_<verb> per cmd_<verb>.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "base/result.h"
#include "cli/exit_code.h"

namespace kutrace::cli {

// Filled by the chosen subcommand's callback; main runs it, prints its error, exits with its code.
// The int is an ExitCode, or the exit status of the command that `record` ran.
struct Invocation {
  std::function<Result<int>()> run;
};

// The chosen subcommand runs `run` with its options.
template <typename Options>
void run_when_chosen(CLI::App& command, Invocation& invocation,
                     const std::shared_ptr<Options>& options, Result<int> (*run)(const Options&)) {
  command.callback(
      [options, run, &invocation] { invocation.run = [options, run] { return run(*options); }; });
}

void add_blame(CLI::App& app, Invocation& invocation);
void add_check(CLI::App& app, Invocation& invocation);
void add_coarsen(CLI::App& app, Invocation& invocation);
void add_control(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);
void add_dump(CLI::App& app, Invocation& invocation);
void add_hexdump(CLI::App& app, Invocation& invocation);
void add_info(CLI::App& app, Invocation& invocation);
void add_profile(CLI::App& app, Invocation& invocation);
void add_raw(CLI::App& app, Invocation& invocation);
void add_record(CLI::App& app, Invocation& invocation);
void add_report(CLI::App& app, Invocation& invocation);
void add_spans(CLI::App& app, Invocation& invocation);
void add_stat(CLI::App& app, Invocation& invocation);
void add_svg(CLI::App& app, Invocation& invocation);
void add_symbolize(CLI::App& app, Invocation& invocation);
void add_syscalls(CLI::App& app, Invocation& invocation);
void add_trim(CLI::App& app, Invocation& invocation);
void add_why(CLI::App& app, Invocation& invocation);

}  // namespace kutrace::cli
