// SPDX-License-Identifier: BSD-3-Clause
// kutrace-bench: makes large traces, measures the stages and the commands on them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "bench/stages.h"
#include "bench/trace_generator.h"

namespace kutrace::bench {
namespace {

int run(int argc, char** argv) {
  CLI::App app("Makes large traces and measures what reading them costs.", "kutrace-bench");
  app.require_subcommand(1);
  GeneratorOptions options;
  std::string path;
  std::string program;
  unsigned rounds = 5;
  Status status;
  const auto add_rounds = [&rounds](CLI::App* command) {
    command->add_option("--rounds", rounds, "Each is run so often; medians are printed")
        ->capture_default_str()
        ->check(CLI::Range(1, 100));
  };
  auto* make = app.add_subcommand("generate", "Write a raw trace of many entries");
  make->add_option("file", path)->required();
  make->add_option("--entries", options.entries)->capture_default_str();
  make->add_option("--cpus", options.cpus)->capture_default_str()->check(CLI::Range(1, 255));
  make->add_option("--seed", options.seed)->capture_default_str();
  make->callback([&] { status = generate(options, path); });
  auto* stages = app.add_subcommand("stages", "Time of each stage, from bytes to page");
  stages->add_option("file", path)->required();
  add_rounds(stages);
  stages->callback([&] { status = print_stages(path, rounds); });
  auto* commands = app.add_subcommand("commands", "Time and memory of each command");
  commands->add_option("file", path)->required();
  commands->add_option("--kutrace", program, "The program to run")->required();
  add_rounds(commands);
  commands->callback([&] { status = print_commands(path, program, rounds); });
  CLI11_PARSE(app, argc, argv);
  if (status) return 0;
  fmt::print(stderr, "kutrace-bench: error: {}\n", describe(status.error()));
  return 1;
}

}  // namespace
}  // namespace kutrace::bench

int main(int argc, char** argv) {
  try {
    return kutrace::bench::run(argc, argv);
  } catch (const std::exception& bug) {
    std::fputs(bug.what(), stderr);
    return 70;
  }
}
