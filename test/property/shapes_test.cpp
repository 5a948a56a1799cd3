// SPDX-License-Identifier: BSD-3-Clause
// Traces of unusual shapes through the program: very many rows, CPUs or threads, very short, very
// long. Every command comes to its end, and what it writes covers the same time as what it read.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "property/program_folder.h"
#include "support/trace_generator.h"

namespace kutrace::test {
namespace {

// CPU seconds after which a command is taken to hang; each needs a hundredth of it.
constexpr int kHangs = 120;

std::vector<TraceShape> shapes() {
  return {
      {.name = "40,000 rows of samples",
       .entries = 260'000,
       .cpus = 16,
       .threads = 40'000,
       .samples = true,
       .short_lived = true},
      {.name = "30,000 threads of one name",
       .entries = 180'000,
       .cpus = 4,
       .threads = 30'000,
       .short_lived = true,
       .same_name = true},
      {.name = "128 CPUs", .entries = 60'000, .cpus = 128, .threads = 500},
      {.name = "24 CPUs with 20 threads each, samples",
       .entries = 120'000,
       .cpus = 24,
       .threads = 480,
       .samples = true},
      {.name = "a millisecond", .entries = 400},
      {.name = "hours", .entries = 20'000, .pace = 1'000'000, .samples = true},
      {.name = "idle, counted instructions",
       .entries = 20'000,
       .cpus = 16,
       .ipc = true,
       .idle = true},
  };
}

// What `check` says: so many seconds on so many CPUs.
std::string extent_of(const Outcome& checked) {
  const std::size_t end = checked.out.find(" CPUs");
  if (end == checked.out.npos) return "";
  const std::size_t begin = checked.out.rfind(", ", end);
  return checked.out.substr(begin + 2, end - begin - 2);
}

class Shaped {
 public:
  explicit Shaped(const TraceShape& shape) : trace_(folder_.file("input.raw")) {
    REQUIRE(generate(shape, trace_));
  }

  Outcome run(const std::string& arguments) const {
    const Outcome outcome = folder_.run(arguments, kHangs);
    CAPTURE(arguments, outcome.out, outcome.err);
    CHECK(outcome.status == 0);
    return outcome;
  }
  // What the command makes of the trace, checked.
  std::string extent_after(const std::string& command, const char* output) const {
    const std::string made = folder_.file(output);
    run(command + " " + trace_ + " -o " + made);
    const Outcome checked = run("check " + made);
    CHECK_THAT(checked.out, Catch::Contains("every CPU adds up"));
    return extent_of(checked);
  }
  std::string extent() const { return extent_of(run("check " + trace_)); }
  const std::string& trace() const { return trace_; }

 private:
  Folder folder_;
  std::string trace_;
};

TEST_CASE("every command ends on traces of every shape, and keeps their time") {
  for (const TraceShape& shape : shapes()) {
    CAPTURE(shape.name);
    const Shaped shaped(shape);
    const std::string extent = shaped.extent();
    REQUIRE_FALSE(extent.empty());
    CHECK(shaped.extent_after("report", "page.html") == extent);
    CHECK(shaped.extent_after("coarsen --resolution 10us", "coarse.kux") == extent);
    CHECK_FALSE(shaped.extent_after("trim --last 100us", "part.kux").empty());
    CHECK(shaped.run("profile " + shaped.trace()).out.size() > 100);
  }
}

// A span for each CPU is the least there can be.
TEST_CASE("a page of fewer spans than there can be holds all the time nevertheless") {
  const Shaped shaped({.entries = 20'000, .cpus = 16});
  CHECK(shaped.extent_after("report --max-spans 3", "page.html") == shaped.extent());
}

}  // namespace
}  // namespace kutrace::test
