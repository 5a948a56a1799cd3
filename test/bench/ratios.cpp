// SPDX-License-Identifier: BSD-3-Clause
// Rounds in which each trace meets gzip and every command once, one after the other.
#include "bench/ratios.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/text.h"
#include "bench/cost.h"
#include "bench/scratch.h"

namespace kutrace::bench {
namespace {

// KUtrace's own tools from raw trace to page, measured beside gzip on 1 M events of 8 CPUs.
constexpr double kKutrace = 9.35;

constexpr std::array<const char*, 4> kCommands = {"report", "check", "trim", "profile"};

// Ratios of all rounds.
struct Ratios {
  std::vector<double> seen;

  double median() const {
    std::vector<double> sorted = seen;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
  double most() const { return *std::ranges::max_element(seen); }
};

struct Row {
  NamedTrace trace;
  std::vector<double> gzip;  // CPU seconds
  std::array<Ratios, kCommands.size()> commands;
};

std::vector<std::string> words_of(const char* command, const std::string& program,
                                  const std::string& trace, const std::filesystem::path& scratch) {
  const std::string name(command);
  std::vector<std::string> words{program, name, trace};
  if (name == "trim")
    words.insert(words.end(), {"--last", "100ms", "-o", scratch / "trimmed.html"});
  if (name == "report") words.insert(words.end(), {"-o", scratch / "page.html"});
  return words;
}

Status measure(Row& row, const std::string& program, const std::filesystem::path& scratch) {
  KUTRACE_ASSIGN(const Cost gzip, cost_of_program({"gzip", "-6", "-c", row.trace.path}));
  row.gzip.push_back(gzip.cpu);
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    for (const auto& old : std::filesystem::directory_iterator(scratch)) {
      std::filesystem::remove(old);
    }
    KUTRACE_ASSIGN(const Cost cost,
                   cost_of_program(words_of(kCommands[i], program, row.trace.path, scratch)));
    row.commands[i].seen.push_back(cost.cpu / gzip.cpu);
  }
  return {};
}

void print(const Row& row) {
  fmt::print("| {} | {} | {:.3f} |", row.trace.name,
             byte_size(std::filesystem::file_size(row.trace.path)), Ratios{row.gzip}.median());
  for (const Ratios& ratios : row.commands) {
    fmt::print(" {:.2f} | {:.2f} |", ratios.median(), ratios.most());
  }
  fmt::print("\n");
}

}  // namespace

Status print_ratios(const std::vector<NamedTrace>& traces, const std::string& program,
                    unsigned rounds) {
  KUTRACE_ASSIGN(const Scratch scratch, Scratch::make());
  std::vector<Row> rows;
  for (const NamedTrace& trace : traces)
    rows.push_back({.trace = trace, .gzip = {}, .commands = {}});
  for (unsigned round = 0; round < rounds; ++round) {
    for (Row& row : rows) KUTRACE_TRY(measure(row, program, scratch.path()));
  }
  fmt::print(
      "CPU time divided by that of gzip -6 of the same trace in the same round, {} rounds\n\n"
      "| trace | raw | gzip, CPU s |",
      rounds);
  for (const char* command : kCommands) fmt::print(" {} | most |", command);
  fmt::print("\n|---|---|---|");
  for (std::size_t i = 0; i < kCommands.size(); ++i) fmt::print("---|---|");
  fmt::print("\n");
  for (const Row& row : rows) print(row);
  const Row& worst =
      *std::ranges::max_element(rows, {}, [](const Row& row) { return row.commands[0].median(); });
  const double ratio = worst.commands[0].median();
  fmt::print(
      "\nThe figure to quote is the worst: report {:.2f} ({}), at most {:.2f}. KUtrace's own "
      "tools stand at {}: {:.1f} times that.\n",
      ratio, worst.trace.name, worst.commands[0].most(), kKutrace, kKutrace / ratio);
  return {};
}

}  // namespace kutrace::bench
