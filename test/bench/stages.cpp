// SPDX-License-Identifier: BSD-3-Clause
// Measures stages and commands on one raw trace, prints tables in Markdown.
#include "bench/stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

#include "base/text.h"
#include "bench/cost.h"
#include "bench/scratch.h"
#include "emit/page/page_writer.h"
#include "format/raw_file.h"
#include "reports/law_check.h"
#include "spans/rebuild.h"
#include "timeline/event_stream.h"

namespace kutrace::bench {
namespace {

class CountSpans : public SpanSink {
 public:
  void push(const Span&) override { ++count; }
  std::uint64_t count = 0;
};

// What a trace is made of, and what its page weighs: filled by the stages.
struct Counts {
  std::uint64_t entries = 0;
  std::uint64_t ordered = 0;
  std::uint64_t events = 0;
  std::uint64_t spans = 0;
  std::uint64_t page_bytes = 0;
};

void decode(const RawFile& file, Counts& counts) {
  decode::DecodeCounters counters;
  decode::Entry entry;
  counts.entries = 0;
  for (const Block& block : file.blocks()) {
    decode::BlockDecoder decoder(block, counters);
    while (decoder.next(entry)) ++counts.entries;
  }
}

Status order(const RawFile& file, Counts& counts) {
  KUTRACE_ASSIGN(const timeline::TraceLayout layout, timeline::lay_out(file));
  timeline::EventStream stream(layout);
  counts.ordered = 0;
  stream.run([&counts](const timeline::Event&) { ++counts.ordered; });
  return {};
}

Status make_spans(const RawFile& file, Counts& counts) {
  NameTable names;
  CountSpans spans;
  KUTRACE_ASSIGN(const TraceInfo info, spans::rebuild(file, names, spans));
  counts.events = info.events;
  counts.spans = spans.count;
  return {};
}

Status check_law(const RawFile& file) {
  NameTable names;
  reports::LawCheck check;
  KUTRACE_TRY(spans::rebuild(file, names, check));
  return {};
}

Status make_page(const RawFile& file, Counts& counts) {
  NameTable names;
  emit::PageWriter page(emit::PageOptions{});
  KUTRACE_ASSIGN(const TraceInfo info, spans::rebuild(file, names, page));
  counts.page_bytes = 0;
  KUTRACE_TRY(page.write(info, names, [&counts](std::string_view piece) {
    counts.page_bytes += piece.size();
    return true;
  }));
  return {};
}

std::vector<Work> all_stages(const RawFile& file, Counts& counts) {
  const auto here = [](std::string name, std::function<Status()> work) {
    return Work{std::move(name), [work = std::move(work)] { return cost_here(work); }};
  };
  return {here("decode", [&] { return decode(file, counts), Status{}; }),
          here("decode, order", [&] { return order(file, counts); }),
          here("decode, order, spans", [&] { return make_spans(file, counts); }),
          here("the same, law checked", [&] { return check_law(file); }),
          here("the same, page instead", [&] { return make_page(file, counts); })};
}

std::vector<Work> all_commands(const std::string& program, const std::string& path,
                               const std::filesystem::path& scratch) {
  const auto command = [&](const char* name, std::vector<std::string> options, const char* output) {
    std::vector<std::string> words{program, name};
    words.insert(words.end(), options.begin(), options.end());
    // To replace the file of the round before takes the file system longer than to write a new one.
    const std::filesystem::path file = output != nullptr ? scratch / output : scratch / "none";
    if (output != nullptr) words.insert(words.end(), {"-o", file});
    words.push_back(path);
    return Work{fmt::format("{} {}", name, fmt::join(options, " ")),
                [words = std::move(words), file] {
                  std::filesystem::remove(file);
                  return cost_of_program(words);
                }};
  };
  return {command("info", {}, nullptr),
          command("check", {}, nullptr),
          command("trim", {"--last", "1s"}, "trimmed.json"),
          command("coarsen", {"--resolution", "10us"}, "coarse.json"),
          command("profile", {}, "profile.txt"),
          command("spans", {}, "spans.json"),
          command("report", {}, "page.html")};
}

Result<RawFile> open_raw(const std::string& path) {
  KUTRACE_ASSIGN(MappedFile mapped, MappedFile::open(path));
  return RawFile::open(std::move(mapped));
}

}  // namespace

Status print_stages(const std::string& path, unsigned rounds) {
  KUTRACE_ASSIGN(const RawFile file, open_raw(path));
  Counts counts;
  const std::vector<Work> stages = all_stages(file, counts);
  KUTRACE_ASSIGN(const std::vector<Cost> costs, median_costs(stages, rounds));
  const auto entries = static_cast<double>(counts.entries);
  const auto events = static_cast<double>(counts.events);
  fmt::print("{} entries, {} events, {} spans; page {}, {:.2f} bytes a span; {} rounds\n\n",
             grouped(counts.entries), grouped(counts.events), grouped(counts.spans),
             byte_size(counts.page_bytes),
             static_cast<double>(counts.page_bytes) / static_cast<double>(counts.spans), rounds);
  fmt::print("| stage | CPU s | wall s | x decode | M entries a CPU s | CPU ns an event |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Cost& cost = costs[i];
    fmt::print("| {} | {:.3f} | {:.3f} | {:.1f} | {:.1f} | {:.1f} |\n", stages[i].name, cost.cpu,
               cost.wall, cost.cpu / costs[0].cpu, entries / cost.cpu / 1e6,
               1e9 * cost.cpu / events);
  }
  return {};
}

Status print_commands(const std::string& path, const std::string& program, unsigned rounds) {
  KUTRACE_ASSIGN(const RawFile file, open_raw(path));
  KUTRACE_ASSIGN(const Scratch scratch, Scratch::make());
  Counts counts;
  decode(file, counts);
  const std::vector<Work> commands = all_commands(program, path, scratch.path());
  KUTRACE_ASSIGN(const std::vector<Cost> costs, median_costs(commands, rounds));
  fmt::print("| command | CPU s | wall s | x info | memory MB | bytes an entry |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto memory = static_cast<double>(costs[i].anonymous);
    fmt::print("| {} | {:.2f} | {:.2f} | {:.1f} | {:.0f} | {:.1f} |\n", commands[i].name,
               costs[i].cpu, costs[i].wall, costs[i].cpu / costs[0].cpu, memory / 1e6,
               memory / static_cast<double>(counts.entries));
  }
  return {};
}

}  // namespace kutrace::bench
