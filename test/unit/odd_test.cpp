// SPDX-License-Identifier: BSD-3-Clause
// What is odd in a trace: each detector finds the trace that was made for it, first of all, and
// none finds anything in one that all but triggers it; so in a page of the trace; and as text.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "emit/text/odd_text.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "model/readings.h"
#include "odd/look.h"
#include "read/trace/trace_input.h"
#include "spans/rebuild.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/odd_traces.h"
#include "support/own_page.h"

namespace kutrace::test {
namespace {

struct Looked {
  NameTable names;
  odd::Look look{names};
  std::vector<odd::Finding> findings;
  bool can_query = true;

  void finish(const TraceInfo& info) {
    findings = look.findings(info, info.end - info.begin, can_query);
  }
  Lines found() const {
    Lines lines;
    for (const odd::Finding& finding : findings) {
      lines.push_back(std::string(finding.kind->name) + ": " + finding.words);
    }
    return lines;
  }
};

void look_at(TraceBuilder trace, Looked& out) {
  const RawFile file = trace.file(kOddStop);
  const auto info = spans::rebuild(file, out.names, out.look);
  REQUIRE(info);
  out.finish(*info);
}

TEST_CASE("each detector has traces, and finds them first; none is found in what all but is one") {
  std::set<std::string> tested;
  for (const OddTrace& odd : odd_traces()) {
    CAPTURE(odd.detector);
    tested.insert(odd.detector);
    CHECK(!odd.triggers.empty());
    for (TraceBuilder (*const trigger)() : odd.triggers) {
      Looked looked;
      look_at(trigger(), looked);
      CAPTURE(looked.found());
      REQUIRE(!looked.findings.empty());
      const odd::Finding& first = looked.findings.front();
      CHECK(first.kind->name == std::string(odd.detector));
      CHECK(first.cost > 0);
      CHECK(first.when.begin < first.when.end);
    }
    CHECK(!odd.near_misses.empty());
    for (TraceBuilder (*const near_miss)() : odd.near_misses) {
      Looked missed;
      look_at(near_miss(), missed);
      CHECK(missed.found() == Lines{});
    }
  }
  for (const odd::DetectorKind* kind : odd::detectors()) {
    CAPTURE(kind->name);
    CHECK(tested.contains(kind->name));
  }
}

TEST_CASE("a frequency of no CPU, as old pages may have, is passed over") {
  Looked looked;
  Span frequency;
  frequency.kind = SpanKind::kFrequency;
  frequency.duration = 1000;
  frequency.arg = 1000;
  looked.look.push(frequency);
  looked.finish({});
  CHECK(looked.found() == Lines{});
}

TEST_CASE("frequencies count when they are told after what the CPU did meanwhile, too") {
  constexpr Ns kSecond = 1'000'000'000;
  Looked looked;
  TraceInfo info;
  info.end = 2 * kSecond;
  info.cpus = {0};
  looked.look.begin(info);
  Span span;
  span.cpu = 0;
  span.kind = SpanKind::kUser;
  span.duration = info.end;
  span.pid = 7;
  looked.look.push(span);
  span.kind = SpanKind::kFrequency;
  span.pid = 0;
  span.duration = kSecond;
  for (const std::uint64_t mhz : {3000U, 1000U}) {
    span.arg = mhz;
    looked.look.push(span);
    span.start += kSecond;
  }
  looked.finish(info);
  CHECK(looked.found() ==
        Lines{"frequency: CPU 0 was busy at 1000 MHz and a little more, for 1 s at less than 60 % "
              "of the 3000 MHz that it reaches in this trace"});
}

TEST_CASE("nothing lasts longer than what was looked at") {
  for (const OddTrace& odd : odd_traces()) {
    if (odd.detector != std::string("spin")) continue;
    Looked looked;
    const RawFile file = odd.triggers.front()().file(kOddStop);
    const auto info = spans::rebuild(file, looked.names, looked.look);
    REQUIRE(info);
    looked.findings = looked.look.findings(*info, 250'000'000, true);
    REQUIRE(looked.findings.size() == 1);
    CHECK(looked.findings.front().words.find(" calls in 250 ms that came") != std::string::npos);
  }
}

TEST_CASE("of a wait for a CPU all is told who had that, but for interrupts and what was lost") {
  const auto words_of = [](TraceBuilder (*const trigger)()) {
    Looked looked;
    look_at(trigger(), looked);
    return looked.findings.empty() ? "" : looked.findings.front().words;
  };
  const auto starved = std::ranges::find_if(
      odd_traces(), [](const OddTrace& odd) { return odd.detector == std::string("starved"); });
  CHECK(words_of(starved->triggers.front()) ==
        "victim.10 was ready and did not run for 510 ms, in 1 wait of 500 ms and more; the longest "
        "took 510 ms, and CPU 0 ran hog.30 for 446.25 ms of it");
  CHECK(words_of(starved->triggers.back()) ==
        "victim.10 was ready and did not run for 506 ms, in 1 wait of 500 ms and more; the longest "
        "took 510 ms, 4 ms of which the trace lost, and CPU 0 ran hog.30 for 446.25 ms of it");
}

TEST_CASE(
    "of the CPU of a lock's holder, what counts is the time that another waited for the lock") {
  const auto found =
      std::ranges::find(odd_traces(), std::string("priority-inversion"), &OddTrace::detector);
  Looked looked;
  look_at(found->triggers.back()(), looked);
  REQUIRE(!looked.findings.empty());
  CHECK(looked.findings.front().words.find("CPU 1 ran middle.30 for 129.9 ms of 129.9 ms") !=
        std::string::npos);
}

TEST_CASE("the command covers the calls and waits that the sentence counts") {
  const auto first_of = [](const char* detector, bool last = false) {
    const auto found = std::ranges::find(odd_traces(), std::string(detector), &OddTrace::detector);
    Looked looked;
    look_at((last ? found->triggers.back() : found->triggers.front())(), looked);
    return looked.findings.front();
  };
  const odd::Finding spin = first_of("spin", true);
  CHECK(spin.words ==
        "victim.10 made 14,950 calls in 298.95 ms whose answer it knew, such as getpid, which "
        "returned 77; that took 47.84 ms of a CPU");
  CHECK(spin.command == "syscalls --by thread --pid 10 --from 0.001000000 --to 0.299983200");
  const odd::Finding convoy = first_of("lock-convoy");
  CHECK(convoy.words.find(": 70 waits and 1.368 s in all, ") != std::string::npos);
  CHECK(convoy.command ==
        "query -e \"select count(*) waits, sum(wait_ns - ready_ns) / 1e6 total_ms from calls where "
        "name like 'futex%' and arg = 0x40 and error is null and wait_ns > ready_ns and end_ns "
        "between 1150000 and 691150000\"");
}

TEST_CASE("a build that has no queries suggests none") {
  for (const OddTrace& odd : odd_traces()) {
    if (odd.detector != std::string("lock-convoy")) continue;
    Looked looked;
    looked.can_query = false;
    look_at(odd.triggers.front()(), looked);
    CHECK(looked.findings.front().command.starts_with("blame --wait lock --pid "));
  }
}

// At 750 ms the victim, which runs on CPU 0 then, calls exec and goes on as sleep.9.
TraceBuilder with_exec(TraceBuilder b) {
  constexpr Ticks kExec = 46'875'000;
  b.task(10, 9, 0).cpu(0, 10, "victim");
  b.words_at(kExec, kind::kTASK, 9, {std::uint64_t{10} << 32 | KUTRACE_TASK_RENUMBERED, 9});
  b.words_at(kExec + 100, kind::kPID_NAME, 9, text_words("sleep"));
  return b.at(kExec + 200, kRead, 3).at(kExec + 300, kRead | kReturn, 1);
}

TEST_CASE("commands have the number of then, sentences the last name and number") {
  for (const auto& [detector, command] : {std::pair{"starved", "blame --thread 10 --wait ready "},
                                          {"sleeping-holder", "why --at 10@0."},
                                          {"priority-inversion", "why --at 10@0."},
                                          {"faults", "stat --by kind --pid 10 --from "},
                                          {"spin", "syscalls --by thread --pid 10 --from "}}) {
    CAPTURE(detector);
    const auto odd = std::ranges::find(odd_traces(), std::string(detector), &OddTrace::detector);
    Looked looked;
    look_at(with_exec(odd->triggers.front()()), looked);
    REQUIRE(!looked.findings.empty());
    const odd::Finding& first = looked.findings.front();
    CHECK(first.kind->name == std::string(detector));
    CHECK_THAT(first.command, Catch::StartsWith(command));
    CHECK_THAT(first.words, Catch::Contains("sleep.9"));
    CHECK_THAT(first.words, !Catch::Contains("victim"));
    if (detector == std::string("sleeping-holder")) continue;  // about another thread
    CHECK(looked.look.scene().had_number(first.row, {10}));
    CHECK(looked.look.scene().had_number(first.row, {9}));
    CHECK_FALSE(looked.look.scene().had_number(first.row, {20}));
  }
}

TEST_CASE("a thread without a name does not have that of a later one with its number") {
  constexpr Ns kSecond = 1'000'000'000;
  Looked looked;
  TraceInfo info;
  info.end = 2 * kSecond;
  info.cpus = {0};
  info.threads[7].name = looked.names.intern("later");
  looked.look.begin(info);
  Span span;
  span.cpu = 0;
  span.pid = 7;
  span.thread = ThreadId{1};
  span.kind = SpanKind::kTrap;
  span.duration = kSecond;
  looked.look.push(span);
  span.thread = ThreadId{2};
  span.kind = SpanKind::kUser;
  span.name = info.threads[7].name;
  span.start = kSecond;
  looked.look.push(span);
  looked.look.end(info);
  looked.finish(info);
  CHECK(looked.found() == Lines{"faults: 7 spent 1 s of the 1 s that it executed in 1 page fault"});
}

std::string story_of(emit::OddAnswer answer) {
  answer.width = 10'000;
  std::string text;
  emit::odd_story(answer, [&text](std::string_view line) { text.append(line).push_back('\n'); });
  return text;
}

// The answer about nothing odd, of a trace with these facts.
std::string story_of(const Facts& facts, bool frequencies) {
  emit::OddAnswer answer;
  answer.facts = facts;
  answer.frequencies = frequencies;
  return story_of(answer);
}

Facts recorded_facts() {
  Facts facts;
  facts.add(fact::kCgroups, true);
  facts.add(fact::kRecorderPid, 5);
  return facts;
}

constexpr const char* kNoFrequencies =
    "\nThe trace tells no frequencies of CPUs (kutrace record has them where the kernel tells "
    "them), "
    "so these cannot be found: frequency drops.\n";

TEST_CASE("what needs events that the trace does not have is told apart from what was looked for") {
  const auto tells = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  Facts facts = recorded_facts();
  const std::string all = story_of(facts, true);
  CHECK(tells(all, "; frequency drops; "));
  CHECK(!tells(all, "can"));
  CHECK_THAT(story_of(facts, false), Catch::EndsWith(kNoFrequencies));
  facts.add("events", "irqs,softirqs,faults,sched,wakeups,net");
  const std::string told = story_of(facts, false);
  CHECK_THAT(told, Catch::StartsWith(
                       "Found nothing odd in 0.000000 s on 0 CPUs. Looked for threads that were "
                       "ready but did not run; control groups that used up their quota of CPU "
                       "time; threads that were ready while their CPU idled; interrupt and softirq "
                       "storms; page-fault storms; slow exits from "
                       "idle; threads that move between CPUs, back and forth; the recorder's own "
                       "share.\n"));
  CHECK_THAT(told, Catch::EndsWith(
                       "\nNot recorded: syscalls, power (kutrace record has them), so few or none "
                       "of these can be found: holders of locks that slept while others waited; "
                       "lock convoys; priority inversions; disk flushes that stall others; "
                       "frequency drops; processes that spin on a call.\n"));
  // Switched on later is recorded for some of the time.
  facts.add(fact::kGroupsChange, "1000 +syscalls +power");
  CHECK(!tells(story_of(facts, true), "Not recorded"));
}

TEST_CASE("a recording has by default what a detector needs") {
  for (const odd::DetectorKind* kind : odd::detectors()) {
    CAPTURE(kind->name);
    for (const EventGroup group : kind->needs) CHECK(EventGroups::standard().has(group));
  }
}

TEST_CASE("a trace of another recorder tells neither quotas nor its recorder") {
  const std::string told = story_of(Facts{}, true);
  CHECK_THAT(told,
             Catch::Contains("Looked for threads that were ready but did not run; threads that "
                             "were ready while their CPU idled; holders of "));
  CHECK_THAT(told, Catch::EndsWith(
                       " processes that spin on a call.\n"
                       "The trace does not tell control groups (kutrace record has them), so these "
                       "cannot be found: control groups that used up their quota of CPU time.\n"
                       "The trace does not tell who recorded it (kutrace record does), so this "
                       "cannot be found: the recorder's own share.\n"));
  CHECK_THAT(emit::odd_json({}),
             Catch::Contains(R"({"detector":"throttled","lacks":["quotas"]})") &&
                 Catch::Contains(R"({"detector":"recorder","lacks":["recorder"]})"));
}

// One reading of a group with a quota at the begin, and what the end has.
Facts quota_facts(std::optional<std::int64_t> at_end) {
  Facts facts = recorded_facts();
  CounterRecords records;
  records.series = {{0, true, "ns", kNoPid, "throttled /box"}};
  records.readings = {{10, {{0, 500}}}};
  if (at_end != 500) records.readings.push_back({1000, {{0, at_end}}});
  add_readings(facts, records);
  return facts;
}

TEST_CASE("a group with a quota that ended may have used it up, and nobody has looked") {
  constexpr const char* kMissed =
      "so these may be missed: control groups that used up their quota of CPU time.\n";
  const std::string told = story_of(quota_facts(std::nullopt), true);
  CHECK_THAT(told, Catch::EndsWith(kMissed));
  CHECK_THAT(told, Catch::StartsWith("Found nothing odd in 0.000000 s on 0 CPUs. Looked for "
                                     "threads that were ready but did not run; threads that were "
                                     "ready while their CPU idled; holders"));
  emit::OddAnswer answer;
  answer.facts = quota_facts(std::nullopt);
  CHECK_THAT(emit::odd_json(answer),
             Catch::Contains(R"({"detector":"throttled","lacks":["quotas"]})"));
  for (const std::int64_t at_end : {500, 700})
    CHECK_THAT(story_of(quota_facts(at_end), true), !Catch::Contains("may be missed"));
}

TEST_CASE("what cannot be found stands behind what was found") {
  emit::OddAnswer answer;
  answer.facts = recorded_facts();
  answer.findings.emplace_back().finding.kind = &odd::kSpin;
  CHECK_THAT(story_of(answer), Catch::EndsWith(std::string("\n") + kNoFrequencies));
  answer.frequencies = true;
  CHECK_THAT(story_of(answer), Catch::EndsWith(", #t=0,0&range=0,0\n"));
}

TEST_CASE("what a detector lacks stands in JSON") {
  emit::OddAnswer answer;
  answer.facts = recorded_facts();
  answer.facts.add("events", "syscalls,sched");
  answer.facts.add(fact::kFilter, "only 1 thread of 2");
  CHECK_THAT(emit::odd_json(answer),
             Catch::Contains(R"("looked_for":["throttled","migrations","spin"])") &&
                 Catch::Contains(R"({"detector":"starved","lacks":["threads","wakeups"]})") &&
                 Catch::Contains(R"({"detector":"frequency","lacks":["power","frequencies"]})"));
}

// One thread on one CPU, `middle` from 500 ms to 1,500 ms.
void look_at_long(SpanKind middle, Looked& out) {
  constexpr Ns kSecond = 1'000'000'000;
  TraceInfo info;
  info.end = 2 * kSecond;
  info.cpus = {0};
  out.look.begin(info);
  Ns at = 0;
  for (const auto& [kind, until] : {std::pair{SpanKind::kUser, kSecond / 2},
                                    {middle, 3 * kSecond / 2},
                                    {SpanKind::kUser, 2 * kSecond}}) {
    Span span;
    span.cpu = 0;
    span.kind = kind;
    span.start = at;
    span.duration = until - at;
    span.pid = kind == SpanKind::kIrq ? 0 : 7;
    const char* const called = until == 2 * kSecond ? "renamed" : "prog";
    span.name = out.names.intern(kind == SpanKind::kUser ? called : "long");
    out.look.push(span);
    at = until;
  }
  out.look.end(info);
  out.finish(info);
}

TEST_CASE("what lasts longer than a window counts in each with what of it is there") {
  Looked interrupt;
  look_at_long(SpanKind::kIrq, interrupt);
  CHECK(interrupt.found() ==
        Lines{"interrupts: CPU 0 spent 1 s of 1 s in softirqs and 1 interrupt, 1 s of it in long"});
  Looked fault;
  look_at_long(SpanKind::kTrap, fault);
  CHECK(fault.found() ==
        Lines{"faults: renamed.7 spent 1 s of the 1 s that it executed in 1 page fault"});
}

}  // namespace
}  // namespace kutrace::test
