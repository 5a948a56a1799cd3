// SPDX-License-Identifier: BSD-3-Clause
// kutrace-bench: makes large traces, measures the stages and the commands on them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/ratios.h"
#include "bench/stages.h"
#include "support/trace_generator.h"

namespace kutrace::bench {
namespace {

// The shape of that name; the first one's without a name.
Result<test::TraceShape> shape_of(const std::string& name) {
  const std::vector<test::TraceShape> shapes = test::measured_shapes();
  const auto found = std::ranges::find(shapes, name, &test::TraceShape::name);
  if (found == shapes.end()) return fail(usage_error("no shape is called '" + name + "'"));
  return *found;
}

Status make_trace(const std::string& shape_name, std::uint64_t entries, const std::string& path) {
  KUTRACE_ASSIGN(test::TraceShape shape, shape_of(shape_name));
  shape.entries = entries;
  return generate(shape, path);
}

Status compare(const std::vector<std::string>& arguments, const std::string& program,
               unsigned rounds) {
  std::vector<NamedTrace> traces;
  for (const std::string& argument : arguments) {
    const std::size_t equal = argument.find('=');
    if (equal == argument.npos) return fail(usage_error("NAME=FILE is expected: " + argument));
    traces.push_back({argument.substr(0, equal), argument.substr(equal + 1)});
  }
  return print_ratios(traces, program, rounds);
}

int run(int argc, char** argv) {
  CLI::App app("Makes large traces and measures what reading them costs.", "kutrace-bench");
  app.require_subcommand(1);
  std::string shape = "8 CPUs";
  std::uint64_t entries = 1'000'000;
  std::string path;
  std::vector<std::string> traces;
  std::string program;
  unsigned rounds = 5;
  Status status;
  const auto add_rounds = [&rounds](CLI::App* command) {
    command->add_option("--rounds", rounds, "Each is run so often; medians are printed")
        ->capture_default_str()
        ->check(CLI::Range(1, 100));
  };
  auto* list = app.add_subcommand("shapes", "Names of the shapes of traces, one a line");
  list->callback([] {
    for (const test::TraceShape& known : test::measured_shapes()) fmt::print("{}\n", known.name);
  });
  auto* make = app.add_subcommand("generate", "Write a raw trace of many entries");
  make->add_option("file", path)->required();
  make->add_option("--shape", shape)->capture_default_str();
  make->add_option("--entries", entries)->capture_default_str();
  make->callback([&] { status = make_trace(shape, entries, path); });
  auto* ratios = app.add_subcommand("ratios", "CPU time of commands, divided by that of gzip -6");
  ratios->add_option("traces", traces, "NAME=FILE ...")->required();
  ratios->add_option("--kutrace", program, "The program to run")->required();
  add_rounds(ratios);
  ratios->callback([&] { status = compare(traces, program, rounds); });
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
