// SPDX-License-Identifier: BSD-3-Clause
// The output's name decides its form, through the program: what one command writes others read, and
// a form that cannot be is refused before anything is written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "format/event_table.h"
#include "property/program_folder.h"
#include "support/trace_builder.h"
#include "support/truth_generator.h"

namespace kutrace::test {
namespace {

constexpr int kUsage = 2;
constexpr int kRefused = 3;
constexpr unsigned kLabelLate = 12 + 40 * (1 + 40 * (20 + 40 * 5));  // base 40, first letter lowest

std::string trace_in(const Folder& folder) {
  TruthOptions options;
  options.seed = 5;
  return folder.store(generate_truth(options).file);
}

// What each CPU did, and in how many spans.
std::string table_of(const std::string& checked) {
  const std::size_t begin = checked.find("\ncpu ");
  return begin == checked.npos ? "" : checked.substr(begin, checked.rfind("100.000000") - begin);
}

// System calls of threads that never ran: they end on no CPU.
std::ptrdiff_t calls_without_cpu(const std::string& calls) {
  std::istringstream lines(calls);
  std::ptrdiff_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string begin, duration, cpu, pid, kind;
    words >> begin >> duration >> cpu >> pid >> kind;
    count += cpu == "-" && kind == "syscall" ? 1 : 0;
  }
  return count;
}

TEST_CASE("trim writes every form, and all say the same of the window") {
  const Folder folder;
  const std::string trace = trace_in(folder);
  std::string first;
  for (const char* name : {"part.raw", "part.json", "part.html", "part.kux"}) {
    const std::string part = folder.file(name);
    REQUIRE(folder.run("trim --first 1ms " + trace + " -o " + part).status == 0);
    const Outcome checked = folder.run("check " + part);
    CAPTURE(name, checked.out, checked.err);
    CHECK(checked.status == 0);
    CHECK_THAT(checked.out, Catch::Contains("0.001000 s on 3 CPUs"));
    CHECK_THAT(checked.out, Catch::Contains("the law holds"));
    const std::string shares = table_of(checked.out);
    REQUIRE_FALSE(shares.empty());
    if (first.empty()) first = shares;
    // KUtrace's JSON has its times in steps of 10 ns.
    if (!part.ends_with(".json")) CHECK(shares == first);
  }
}

// All that a page holds, it tells as its trace does. It has no numbers of 64 bits, and a thread
// that gets another number is two there.
TEST_CASE("commands that answer say the same of a page as of its trace") {
  const Folder folder;
  for (const std::uint64_t seed : {1u, 4u, 6u, 8u}) {
    TruthOptions options = random_options(seed);
    options.own = true;
    options.wide = options.deaths = false;
    const std::string trace = folder.store(generate_truth(options).file);
    const std::string page = folder.file("page.kux");
    REQUIRE(folder.run("report " + trace + " -o " + page).status == 0);
    for (const char* command :
         {"stat --by cpu --format csv ", "stat --by thread --format csv ",
          "stat --by process --format csv ", "stat --by program --format csv ",
          "stat --by kind --format csv ", "stat --every 100us --format csv ",
          "syscalls --format csv ", "syscalls --by thread --format csv ",
          "syscalls --by process --format csv ", "syscalls --by program --format csv ",
          "blame --format csv ", "blame --follow --format csv ", "dump --stage processes "}) {
      const Outcome of_trace = folder.run(command + trace);
      CAPTURE(seed, command, of_trace.err);
      REQUIRE(of_trace.status == 0);
      CHECK(folder.run(command + page).out == of_trace.out);
    }
  }
}

TEST_CASE("a picture around a mark shows that time and no other") {
  const Folder folder;
  TraceBuilder b;
  b.cpu(0, 10).at(100'000, ev::kMARK_B, kLabelLate).at(200'000, ev::kUSERPID, 20);
  const std::string trace = folder.store(b.bytes(300'000));
  const Outcome drawn = folder.run("svg --around late±0.1ms " + trace);
  CHECK(drawn.status == 0);
  CHECK_THAT(drawn.out, Catch::Contains("200.0 µs from") && Catch::Contains(">late<"));
  const Outcome none = folder.run("svg --around early±1 " + trace);
  CHECK(none.status == kRefused);
  CHECK_THAT(none.err, Catch::Contains("has no mark 'early'"));
}

TEST_CASE("a command that answers takes the windows, threads and CPUs that trim takes") {
  const Folder folder;
  const std::string trace = trace_in(folder);
  const auto lines = [&](const std::string& selection) {
    const Outcome told = folder.run("syscalls --text " + selection + trace);
    CAPTURE(selection, told.err);
    REQUIRE(told.status == 0);
    return std::count(told.out.begin(), told.out.end(), '\n');
  };
  const auto all = lines("");
  REQUIRE(all > 0);
  CHECK(lines("--first 1ms ") + lines("--from 1ms ") == all);
  CHECK(lines("--to 1ms ") == lines("--first 1ms "));
  const auto nowhere = calls_without_cpu(folder.run("dump --stage calls " + trace).out);
  CHECK(lines("--cpu 0 ") + lines("--cpu 1-9 ") + nowhere == all);
  CHECK(lines("--last 1ms ") < all);
  for (const char* nothing : {"--name nobody ", "--pid 99999 ", "--cpu 77 ", "--label none ",
                              "--around none±1ms ", "--from 9000 --to 9001 "}) {
    const Outcome trimmed = folder.run("trim " + std::string(nothing) + trace);
    const Outcome told = folder.run("syscalls " + std::string(nothing) + trace);
    CAPTURE(nothing, trimmed.err, told.err);
    CHECK(trimmed.status == kRefused);
    CHECK(told.status == kRefused);
  }
  CHECK(folder.run("syscalls --children " + trace).status == kUsage);
  CHECK(folder.run("svg --name nobody " + trace).status == kRefused);
}

TEST_CASE("a raw trace is not made of what cannot be one") {
  const Folder folder;
  const std::string trace = trace_in(folder);
  const std::string json = folder.file("spans.json");
  REQUIRE(folder.run("spans " + trace + " -o " + json).status == 0);
  for (const std::string& command :
       {"trim --pid 1 " + trace, "trim --group syscalls " + trace, "trim --first 1ms " + json,
        "trim --first 1ms --whole " + trace, "coarsen --resolution 10us " + trace}) {
    const Outcome outcome = folder.run(command + " -o " + folder.file("no.raw"));
    CAPTURE(command, outcome.err);
    CHECK(outcome.status == kUsage);
    CHECK_THAT(outcome.err, Catch::Contains("raw trace") && Catch::Contains("hint: "));
    CHECK_FALSE(std::filesystem::exists(folder.file("no.raw")));
  }
}

}  // namespace
}  // namespace kutrace::test
