// SPDX-License-Identifier: BSD-3-Clause
// How a command declares its options and is run. In: names, variables and sentences; out: the
// variables filled from the command line. The parser behind it stays in command.cpp, as its headers
// take longer to compile than any command.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/exit_code.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the name is the library's
class App;
class Option;
}  // namespace CLI

namespace kutrace::cli {

// Runs the chosen command. The int is an ExitCode, or the exit status of the command that `record`
// ran.
using Run = std::function<Result<int>()>;

// An option or argument that is being declared.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  // Help shows the value that the variable has now.
  Option shows_default() const;
  Option one_of(std::vector<std::string> words) const;
  Option at_least(std::uint64_t least) const;
  Option between(int least, int most) const;
  Option between(double least, double most) const;
  // One word each time that the option stands there; more stand behind commas.
  Option list() const;
  // One word each time that the option stands there.
  Option one_each_time() const;
  // So many arguments.
  Option times(int least, int most) const;
  // 500MB, 2GB: decimal units, as a number of bytes.
  Option byte_size() const;
  // `wrong` says what is wrong with a word; nothing if it is right.
  Option check(std::function<std::string(const std::string&)> wrong) const;
  Option excludes(Option other) const;
  Option excludes(const char* other) const;

  bool operator==(const Option&) const = default;

 private:
  CLI::Option* option_;
};

// No two of these stand in one command line.
void exclude_each_other(std::initializer_list<Option> options);

// A command, or the program itself.
class Command {
 public:
  // Both outlive it.
  Command(CLI::App& app, Run& chosen) : app_(&app), chosen_(&chosen) {}

  Command add_command(const char* name, const char* does) const;
  // A command of commands.
  void needs_command() const;
  // What help says below the options.
  void footer(std::string text) const;
  // `value` is a string, a number, an optional number or a vector of these; command.cpp lists them.
  // It outlives the parsing.
  template <typename Value>
  Option add_option(const char* names, Value& value, const char* is) const;
  Option add_flag(const char* names, bool& value, const char* means) const;
  // One that was declared before.
  Option option(const char* name) const;

  // If this command is chosen, `run` gets its options.
  template <typename Options>
  void runs(const std::shared_ptr<Options>& options, Result<int> (*run)(const Options&)) const {
    runs([options, run] { return run(*options); });
  }
  void runs(Run run) const;

 private:
  CLI::App* app_;
  Run* chosen_;
};

// The command line of the program.
class CommandLine {
 public:
  // The text of help above and below the list of commands.
  CommandLine(const char* does, const char* footer, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // To declare commands.
  Command program();
  std::vector<std::string> command_names() const;
  std::string help() const;
  // A line for each of what may come next, its meaning behind a tab: see completion.h.
  std::string completions(std::span<const std::string> words) const;

  // What to do: run a command; or, where `told` has something, print that and end; or end, as what
  // is wrong has been said on standard error.
  struct Wish {
    Run run;
    std::optional<std::string> told;
  };
  Wish parse(std::vector<std::string> words);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace kutrace::cli
