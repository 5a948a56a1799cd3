// SPDX-License-Identifier: BSD-3-Clause
// The output's name decides its form, through the program: what one command writes others read, and
// a form that cannot be is refused before anything is written.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "property/program_folder.h"
#include "support/event_numbers.h"
#include "support/own_page.h"
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
    CHECK_THAT(checked.out, Catch::Contains("every CPU adds up"));
    const std::string shares = table_of(checked.out);
    REQUIRE_FALSE(shares.empty());
    if (first.empty()) first = shares;
    // KUtrace's JSON has its times in steps of 10 ns.
    if (!part.ends_with(".json")) CHECK(shares == first);
  }
}

// Behind the line that names the file.
std::string verdict_of(const Outcome& checked) {
  return checked.out.substr(std::min(checked.out.find('\n'), checked.out.size()));
}

// All that a page holds, it tells as its trace does.
void must_say_the_same(const Folder& folder, const std::string& trace) {
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
    CAPTURE(command, of_trace.err);
    REQUIRE(of_trace.status == 0);
    CHECK(folder.run(command + page).out == of_trace.out);
  }
  const Outcome of_trace = folder.run("check " + trace);
  const Outcome of_page = folder.run("check " + page);
  CHECK(of_page.status == of_trace.status);
  CHECK(verdict_of(of_page) == verdict_of(of_trace));
  CHECK_THAT(of_page.out,
             Catch::Contains("every thread adds up") && Catch::Contains("every call ends"));
}

// It has no numbers of 64 bits.
TEST_CASE("commands that answer say the same of a page as of its trace") {
  const Folder folder;
  for (const std::uint64_t seed : {1u, 2u, 4u, 6u, 8u}) {
    TruthOptions options = random_options(seed);
    options.own = true;
    options.wide = false;
    CAPTURE(seed);
    must_say_the_same(folder, folder.store(generate_truth(options).file));
  }
}

// One thread blocks in a call and another is preempted, both for longer than a slab of the page
// holds, while threads that have one number in turn are woken, some of them several times.
std::vector<std::byte> long_waits_and_one_number() {
  constexpr EventNum kExit = 0x83c;
  constexpr Ticks kBlocked = 100'000, kWoken = 1'900'000, kEnd = 2'000'000;
  TraceBuilder b;
  b.task(10, 10, 0).task(20, 20, 0).task(25, 25, 0).task(30, 30, 0);
  b.cpu(0, 25, "preempted").at(50, ev::kUSERPID, 20 | KUTRACE_SWITCH_RUNNABLE);
  for (Ticks at = 100; at < kEnd - 1000; at += 10) {
    if (at % 10'000 == 0) b.new_block(at, 20, "busy");
    b.at(at, kTimer);
    if (at == kWoken) b.at(at + 2, ev::kRUNNABLE, 10);
    b.at(at + 4, kTimer | kReturn);
  }
  b.at(kEnd - 500, ev::kUSERPID, 25 | KUTRACE_SWITCH_RUNNABLE);
  b.cpu(1, 10, "sleeper").at(1000, kRead, 3).at(kBlocked, ev::kUSERPID, KUTRACE_SWITCH_BLOCKED);
  for (unsigned life = 1; life < 5; ++life) {
    Ticks at = kBlocked + life * 10'000;
    b.new_block(at, 0, "");
    b.words_at(at, kind::kTASK, 30, {0, std::uint64_t{20} << 32 | 30});
    for (unsigned turn = 0; turn < life; ++turn, at += 1000) {
      b.at(at + 10, ev::kRUNNABLE, 30).at(at + 200, ev::kUSERPID, 30);
      if (turn + 1 == life) b.at(at + 300, kExit);
      b.at(at + 400, ev::kUSERPID, KUTRACE_SWITCH_BLOCKED);
    }
  }
  // The last of them waits long, too.
  b.words_at(200'000, kind::kTASK, 30, {0, std::uint64_t{20} << 32 | 30});
  b.at(200'010, ev::kRUNNABLE, 30).at(200'100, ev::kUSERPID, 30).at(200'200, kRead, 4);
  b.at(200'300, ev::kUSERPID, KUTRACE_SWITCH_BLOCKED);
  b.new_block(kWoken + 50, 0, "");
  b.at(kWoken + 100, ev::kUSERPID, 10).at(kWoken + 200, kRead | kReturn, 1);
  b.at(kWoken + 300, ev::kRUNNABLE, 30).at(kWoken + 400, ev::kUSERPID, 30 | KUTRACE_SWITCH_BLOCKED);
  return b.bytes(kEnd);
}

TEST_CASE(
    "a page tells of waits beyond its slabs, and of threads of one number, as its trace does") {
  const Folder folder;
  const std::string trace = folder.store(long_waits_and_one_number());
  must_say_the_same(folder, trace);
}

// The header says how long each thread waited, the slabs which waits these were.
TEST_CASE("check finds a page whose sums are not those of its spans") {
  const Folder folder;
  const std::string trace = folder.store(long_waits_and_one_number());
  const std::string page = folder.file("page.kux");
  REQUIRE(folder.run("report " + trace + " -o " + page).status == 0);
  const std::string bytes = read_file(page);
  std::string header = header_of(bytes);
  const std::size_t row = header.find("[10,", header.find("\"threads\":["));
  const std::size_t end = header.find(']', row);
  REQUIRE(row != header.npos);
  header[end - 1] = header[end - 1] == '0' ? '1' : '0';
  CAPTURE(header.substr(row, end - row));
  std::ofstream(page, std::ios::binary) << with_header(bytes, header);
  const Outcome checked = folder.run("check " + page);
  CHECK(checked.status == 1);
  CHECK_THAT(checked.out, Catch::Contains("violation: thread 10: "));
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
