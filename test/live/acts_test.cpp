// SPDX-License-Identifier: BSD-3-Clause
// What recorders get wrong easily, done by a program that knows what it did: whose time it is,
// which thread's calls they are, what a program may say.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "kutrace/abi.h"
#include "kutrace/mark.h"
#include "live/live_support.h"
#include "support/event_numbers.h"

namespace kutrace::live {

namespace {

using test::kFault;
using test::kReturn;

constexpr std::uint32_t kMarkA = 0x20a;

struct Recording {
  std::map<std::string, std::int64_t> told;  // by the program
  std::vector<Seen> events;
  std::vector<SeenSpan> spans;
  std::string listing;

  std::int64_t mark(const char* label) const {
    for (const Seen& seen : events)
      if (seen.event == kMarkA && seen.arg == kutrace_label(label)) return seen.time_ns;
    FAIL("the trace lacks mark " << label);
    return 0;
  }
  // Time of the program's own spans of a kind between two marks.
  std::int64_t time_in(const std::string& kind, const char* from, const char* to) const {
    const std::int64_t begin = mark(from);
    const std::int64_t end = mark(to);
    std::int64_t sum = 0;
    for (const SeenSpan& span : spans)
      if (span.kind == kind && span.pid == told.at("pid") && span.start_ns >= begin &&
          span.start_ns < end)
        sum += span.duration_ns;
    return sum;
  }
};

Recording read_recording(const std::string& trace, const std::string& told) {
  require_law(trace);
  return {values(told), events_of(trace), spans_of(trace),
          shell("$KUTRACE dump --stage events " + trace).out};
}

Recording record(const std::string& options, const std::string& acts) {
  const Folder folder;
  const std::string trace = folder.file("trace.raw");
  const Outcome outcome =
      shell("$KUTRACE record " + options + " -o " + trace + " -- $ACTS " + acts);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return read_recording(trace, outcome.out);
}

// One made elsewhere, of the program whose output stands beside it, or one of this machine.
const Recording* recording() {
  static const std::optional<Recording> result = []() -> std::optional<Recording> {
    const char* trace = std::getenv("KUTRACE_ACTS_TRACE");
    const char* told = std::getenv("KUTRACE_ACTS_TOLD");
    if (trace != nullptr && told != nullptr) return read_recording(trace, read_file(told));
    if (!can_record()) return std::nullopt;
    return record("", "barrier exec insert write");
  }();
  return result ? &*result : nullptr;
}

std::set<std::uint32_t> insertable() {
  std::set<std::uint32_t> numbers;
  const std::string program = "program";
#define KUTRACE_POINT(id, number, name, group, argument, by) \
  if (program == #by) numbers.insert(number);
#include "kutrace/events.def"
#define KUTRACE_KIND(id, kind, what, by) \
  if (program == #by)                    \
    for (std::uint32_t words = 2; words <= 8; ++words) numbers.insert((kind) | words << 4);
#include "kutrace/events.def"
  return numbers;
}

// The numbers of the events that have the tag of this name as their argument.
std::set<std::uint32_t> inserted(const Recording& r, const std::string& name) {
  const std::string tag = " " + std::to_string(r.told.at(name));
  std::set<std::uint32_t> result;
  std::istringstream lines(r.listing);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(tag);
    const bool is_whole =
        at != std::string::npos && (at + tag.size() == line.size() || line[at + tag.size()] == ' ');
    std::istringstream words(line);
    std::string time;
    std::string cpu;
    std::uint32_t event = 0;
    words >> time >> cpu >> std::hex >> event;
    if (is_whole && cpu != "-") result.insert(event);
  }
  return result;
}

}  // namespace

TEST_CASE("the handler of a fault that fails is user code", "[acts]") {
  const Recording* r = recording();
  if (r == nullptr) return;
  const std::int64_t count = r->told.at("barriers");
  REQUIRE(count > 0);
  const std::int64_t spun = count * r->told.at("barrier_spin_ns");
  // How long a fault takes until its signal is delivered is the machine's affair; that it ends
  // there is ours, so the faults are counted below.
  CHECK(r->time_in("user", "barr", "/barr") + r->time_in("loss", "barr", "/barr") > spun / 4);
  std::int64_t ended = 0;
  for (const Seen& seen : r->events)
    if (seen.pid == r->told.at("pid") &&
        ((seen.event == (kFault | kReturn) && seen.arg == SIGSEGV) ||
         (seen.event == kFault && seen.duration_ns >= 0 && seen.result == SIGSEGV)))
      ++ended;
  CHECK(ended == count);
}

TEST_CASE("calls of a program that a thread started are the process's, by its new number",
          "[acts]") {
  const Recording* r = recording();
  if (r == nullptr) return;
  REQUIRE(r->told.at("exec_pid") > 0);
  std::int64_t right = 0;
  std::int64_t wrong = 0;
  for (const SeenSpan& span : r->spans)
    if (span.kind == "syscall" && span.arg == r->told.at("exec_tag"))
      ++(span.pid == r->told.at("exec_pid") ? right : wrong);
  CHECK(wrong == 0);
  CHECK(right >= r->told.at("exec_calls"));
}

TEST_CASE("a program inserts what is its own business, of all event numbers", "[acts]") {
  const Recording* r = recording();
  if (r == nullptr) return;
  CHECK(inserted(*r, "insert_tag") == insertable());
}

TEST_CASE("what is inserted by a write is the same", "[acts]") {
  const Recording* r = recording();
  if (r == nullptr) return;
  CHECK(inserted(*r, "write_tag") == insertable());
}

TEST_CASE("without returns of faults, the code behind a fault is user code") {
  if (!can_record()) return;
  const Recording r = record("--no-fault-exit", "touch barrier");
  for (const auto& [from, to, ns] :
       {std::tuple("touch", "/touch", r.told.at("touches") * r.told.at("touch_spin_ns")),
        std::tuple("barr", "/barr", r.told.at("barriers") * r.told.at("barrier_spin_ns"))}) {
    CHECK(r.time_in("fault", from, to) == 0);
    CHECK(r.time_in("user", from, to) + r.time_in("loss", from, to) > ns / 4);
  }
}

TEST_CASE("whatever is recorded, nobody gets more time than he had, and no loss is invented") {
  if (!can_record()) return;
  const std::vector<std::string> groups = {"syscalls", "irqs",  "softirqs", "faults", "sched",
                                           "wakeups",  "power", "net",      "samples"};
  std::vector<std::string> choices = groups;
  for (const std::string& group : groups) choices.push_back("-" + group);
  const std::set<std::string> own = {"user", "syscall", "fault", "sched"};
  for (const std::string& choice : choices) {
    const Folder folder;
    const std::string trace = folder.file("trace.raw");
    const Outcome outcome = shell("$KUTRACE record --buffer-mb 16 --events " + choice + " -o " +
                                  trace + " -- $ACTS work");
    INFO(choice << ": " << outcome.err);
    REQUIRE(outcome.status == 0);
    const Recording r = read_recording(trace, outcome.out);
    std::int64_t had = 0;
    for (const SeenSpan& span : r.spans)
      if (span.pid == r.told.at("pid") && own.contains(span.kind)) had += span.duration_ns;
    CHECK(had > 0);
    const auto stolen = static_cast<double>(r.told.at("stolen_ns"));
    CHECK(static_cast<double>(had) < 1.1 * static_cast<double>(r.told.at("cpu_ns")) + 5e6 + stolen);
    CHECK(shell("$KUTRACE check " + trace).out.find("damaged") == std::string::npos);
    if (choice != "irqs" && choice[0] != '-') {
      CHECK(outcome.err.find("LOC: ") == std::string::npos);
    }
  }
}

}  // namespace kutrace::live
