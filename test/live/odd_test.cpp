// SPDX-License-Identifier: BSD-3-Clause
// Programs on this machine in which one thing is odd: `why` without a question names it first, and
// the command that it names works. What was planted lasts for the better part of a second; nothing
// else here depends on how long anything takes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "live/live_support.h"

namespace kutrace::live {

namespace {

struct Planted {
  const char* act;
  const char* detector;
  std::vector<std::string> words;  // all in the first finding
};

const std::vector<Planted> kPlanted = {
    {"sleeping-holder", "sleeping-holder", {"holder.", "victim.", "in clock_nanosleep meanwhile"}},
    {"lock-convoy", "lock-convoy", {"threads queued for the lock at", "queues."}},
    {"priority-inversion", "priority-inversion", {"victim.", "low.", "CPU 0 ran middle."}},
    {"starved", "starved", {"victim.", "CPU 0 ran hog."}},
    {"faults", "faults", {"toucher.", "page faults"}},
    {"spin", "spin", {"yields.", "sched_yield, which returned 0"}},
    {"poll", "spin", {"polls.", "read, which returned EAGAIN"}},
    {"migrations", "migrations", {"moves.", "moved back"}},
};

// Of the text, the first finding: what it is, the sentence on one line, the command.
struct First {
  std::string detector;
  std::string sentence;
  std::string command;
};

First first_of(const std::string& text) {
  First first;
  std::istringstream lines(text.substr(std::min(text.size(), text.find("\n1. "))));
  for (std::string line; std::getline(lines, line) && !line.starts_with("   page: ");) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (line.starts_with("1. ")) {
      first.detector = line.substr(3, line.find(':') - 3);
    } else if (line.starts_with("   kutrace ")) {
      first.command = "$KUTRACE" + line.substr(begin + std::string("kutrace").size());
    } else if (begin != std::string::npos) {
      first.sentence += line.substr(begin) + ' ';
    }
  }
  return first;
}

// What `why` without a question says of the program, recorded while it does that.
Outcome asked_about(const std::string& act, const std::string& trace) {
  REQUIRE(shell("$KUTRACE record -o " + trace + " -- $PLANTED " + act).status == 0);
  require_law(trace);
  return shell("$KUTRACE why --name kutrace-planted " + trace);
}

}  // namespace

TEST_CASE("what is odd on this machine is named first, with a command that shows it", "[why]") {
  if (!can_record()) return;
  for (const Planted& planted : kPlanted) {
    const Folder folder;
    const Outcome answer = asked_about(planted.act, folder.file("trace.raw"));
    CAPTURE(planted.act, answer.out, answer.err);
    REQUIRE(answer.status == 1);
    const First first = first_of(answer.out);
    CHECK(first.detector == planted.detector);
    for (const std::string& part : planted.words) {
      CHECK_THAT(first.sentence, Catch::Contains(part));
    }
    const Outcome shown = shell(first.command);
    CAPTURE(first.command, shown.err);
    CHECK(shown.status == 0);
    CHECK(!shown.out.empty());
  }
}

// It is a CPU's, so whose threads were there does not choose it; and a thread that was kept from
// the CPU by it may have lost more time.
TEST_CASE("a storm of softirqs on this machine is found, and what it was in", "[why]") {
  if (!can_record()) return;
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  REQUIRE(shell("$KUTRACE record -o " + trace + " -- $PLANTED interrupts").status == 0);
  require_law(trace);
  const Outcome answer = shell("$KUTRACE why --cpu 0 --format csv " + trace);
  CAPTURE(answer.out, answer.err);
  REQUIRE(answer.status == 1);
  std::istringstream lines(answer.out);
  std::string storm;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("interrupts,")) storm = line;
  }
  CHECK_THAT(storm, Catch::Contains("CPU 0 spent") && Catch::Contains("in BH:rx"));
}

TEST_CASE("in a program that is healthy nothing is odd", "[why]") {
  if (!can_record()) return;
  const Folder folder;
  const Outcome answer = asked_about("healthy", folder.file("trace.raw"));
  CAPTURE(answer.out, answer.err);
  CHECK(answer.status == 0);
  CHECK_THAT(answer.out, Catch::StartsWith("Found nothing odd in "));
}

}  // namespace kutrace::live
