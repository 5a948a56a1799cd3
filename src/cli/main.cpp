// SPDX-License-Identifier: BSD-3-Clause
// The program: parses the command line, runs one subcommand, prints its error, sets the exit code.
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/first_word.h"
#include "cli/version.h"

namespace kutrace {

ExitCode exit_code_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return ExitCode::kUsage;
    case ErrorKind::kInput:
      return ExitCode::kInput;
    case ErrorKind::kHost:
      return ExitCode::kHost;
    case ErrorKind::kOutput:
      return ExitCode::kOutput;
    case ErrorKind::kInternal:
      return ExitCode::kInternal;
  }
  return ExitCode::kInternal;
}

namespace {

constexpr const char* kFooter = R"(
Typical use:
  kutrace record -o trace.raw -- ./server --once   record the whole machine while it runs
  kutrace report trace.raw -o out.html             one page, opens offline in any browser
  kutrace check trace.raw                          does every nanosecond add up?

Exit codes: 0 done; 1 done, with findings; 2 usage; 3 input unusable; 4 this host cannot;
5 output cannot be written; 70 a bug; 130 interrupted. `record` passes its command's status on.)";

void set_up_log() {
  auto logger = spdlog::stderr_color_st("kutrace");
  logger->set_pattern("kutrace: %^%l%$: %v");
  spdlog::set_default_logger(std::move(logger));
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// Where the help of what was typed stands.
std::string help_hint(const CLI::App* app) {
  std::string words = app->get_name();
  for (auto chosen = app->get_subcommands(); !chosen.empty();
       chosen = chosen.back()->get_subcommands()) {
    words += " " + chosen.back()->get_name();
  }
  if (app->get_subcommands().empty()) return "kutrace --help, or kutrace COMMAND --help";
  return words + " --help";
}

int run_program(int argc, char** argv) {
  CLI::App app("Shows where every nanosecond of every CPU went.", "kutrace");
  app.footer(kFooter);
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* asked, const CLI::Error& error) {
    return std::string("kutrace: error: ") + error.what() + "\n  hint: " + help_hint(asked) + "\n";
  });
  Invocation invocation;
  add_record(app, invocation);
  add_control(app, invocation);
  add_report(app, invocation);
  add_info(app, invocation);
  add_check(app, invocation);
  add_trim(app, invocation);
  add_coarsen(app, invocation);
  add_profile(app, invocation);
  add_symbolize(app, invocation);
  add_spans(app, invocation);
  add_svg(app, invocation);
  add_raw(app, invocation);
  add_dump(app, invocation);
  add_hexdump(app, invocation);
  add_doctor(app, invocation);
  std::vector<std::string> words = without_help_verb({argv + 1, argv + argc});
  if (words.empty()) {
    std::cerr << app.help();
    return static_cast<int>(ExitCode::kUsage);
  }
  if (const std::string wrong = wrong_command(words, command_names(app)); !wrong.empty()) {
    spdlog::error("{}", wrong);
    return static_cast<int>(ExitCode::kUsage);
  }
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  const Result<int> result = invocation.run();
  if (result) return *result;
  spdlog::error("{}", describe(result.error()));
  return static_cast<int>(exit_code_for(result.error().kind));
}

}  // namespace
}  // namespace kutrace

int main(int argc, char** argv) {
  kutrace::set_up_log();
  try {
    return kutrace::run_program(argc, argv);
  } catch (const std::exception& bug) {
    spdlog::critical("this is a bug: {}", bug.what());
    return static_cast<int>(kutrace::ExitCode::kInternal);
  }
}
