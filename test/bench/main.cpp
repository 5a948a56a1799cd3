// SPDX-License-Identifier: BSD-3-Clause
// kutrace-bench: makes large traces and times the stages on them, several runs, medians.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>

#include "base/text.h"
#include "bench/trace_generator.h"
#include "format/raw_file.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "timeline/event_stream.h"

namespace kutrace::bench {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Median CPU seconds of `runs` calls.
double median_cost(unsigned runs, const std::function<void()>& work) {
  std::vector<double> costs;
  for (unsigned run = 0; run < runs; ++run) {
    const double before = cpu_seconds();
    work();
    costs.push_back(cpu_seconds() - before);
  }
  std::sort(costs.begin(), costs.end());
  return costs[costs.size() / 2];
}

class CountSpans : public SpanSink {
 public:
  void push(const Span&) override { ++count; }
  std::uint64_t count = 0;
};

void row(const char* stage, double seconds, std::uint64_t entries) {
  fmt::print("{:<28} {:8.3f} s {:8.1f} ns/entry {:8.1f} M entries/s\n", stage, seconds,
             1e9 * seconds / static_cast<double>(entries),
             static_cast<double>(entries) / seconds / 1e6);
}

Status stages(const std::string& path, unsigned runs) {
  KUTRACE_ASSIGN(MappedFile mapped, MappedFile::open(path));
  KUTRACE_ASSIGN(const RawFile file, RawFile::open(std::move(mapped)));
  std::uint64_t entries = 0;
  const double decode = median_cost(runs, [&] {
    DecodeCounters counters;
    Entry entry;
    entries = 0;
    for (const Block& block : file.blocks()) {
      BlockDecoder decoder(block, counters);
      while (decoder.next(entry)) ++entries;
    }
  });
  const double order = median_cost(runs, [&] {
    const auto layout = lay_out(file);
    if (!layout) return;
    EventStream stream(*layout);
    std::uint64_t seen = 0;
    stream.run([&seen](const Event&) { ++seen; });
  });
  CountSpans spans;
  const double rebuilt = median_cost(runs, [&] {
    NameTable names;
    spans.count = 0;
    (void)rebuild(file, names, spans);
  });
  const double checked = median_cost(runs, [&] {
    NameTable names;
    LawCheck check;
    (void)rebuild(file, names, check);
  });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{}: {} entries, {} spans, {} of file\n", path, grouped(entries), grouped(spans.count),
             byte_size(file.size()));
  row("decode", decode, entries);
  row("decode + order", order, entries);
  row("decode + order + spans", rebuilt, entries);
  row("the same + law check", checked, entries);
  fmt::print("peak memory, mapped file included: {}\n",
             byte_size(static_cast<std::uint64_t>(usage.ru_maxrss) * 1024));
  return {};
}

int run(int argc, char** argv) {
  CLI::App app("Times the stages of kutrace on large traces.", "kutrace-bench");
  app.require_subcommand(1);
  GeneratorOptions options;
  std::string path;
  unsigned runs = 5;
  Status status;
  auto* make = app.add_subcommand("generate", "Write a raw trace of many entries");
  make->add_option("file", path)->required();
  make->add_option("--entries", options.entries)->capture_default_str();
  make->add_option("--cpus", options.cpus)->capture_default_str()->check(CLI::Range(1, 255));
  make->add_option("--seed", options.seed)->capture_default_str();
  make->callback([&] { status = generate(options, path); });
  auto* time = app.add_subcommand("stages", "Median CPU time of each stage");
  time->add_option("file", path)->required();
  time->add_option("--runs", runs)->capture_default_str()->check(CLI::Range(1, 100));
  time->callback([&] { status = stages(path, runs); });
  CLI11_PARSE(app, argc, argv);
  if (status) return 0;
  fmt::print(stderr, "kutrace-bench: error: {}\n", describe(status.error()));
  return 1;
}

}  // namespace
}  // namespace kutrace::bench

int main(int argc, char** argv) { return kutrace::bench::run(argc, argv); }
