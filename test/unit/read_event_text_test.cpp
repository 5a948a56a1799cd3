// SPDX-License-Identifier: BSD-3-Clause
// Events as text become raw traces: of ftrace, of trace-cmd report, of perf script. What is printed
// in no known form is counted.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "read/event_text/event_line.h"
#include "read/event_text/event_patterns.h"
#include "support/event_texts.h"
#include "support/imported_trace.h"
#include "support/lines.h"
#include "support/spans_of.h"

namespace kutrace::test {
namespace {

Lines story(std::string_view read) {
  const std::string call(read);
  return {"syscall 0+1000 " + call + "(3)",
          "idle 1000+3000 -idle-",
          "irq 4000+1000 eth0(24)=1",
          "idle 5000+1000 -idle-",
          "syscall 6000+1000 " + call + "(3)=5",
          "user 7000+2000 server",
          "softirq 9000+1000 BH:timer(1)=1"};
}

Lines unseen(const Replay& r) {
  Lines lines;
  for (const auto& [key, value] : r.info.facts)
    if (key == fact::kUnseen.text) lines.push_back(value);
  return lines;
}

TEST_CASE("text of ftrace, trace-cmd and perf is the trace that it tells of") {
  const Replay perf = replayed(std::string(kPerfText));
  CHECK(perf.timeline(0) == story("read"));
  CHECK(perf.info.facts.get(fact::kStartMonotonicNs) == 5'000'000'000);
  const auto text = GENERATE(kFtraceText, kTraceCmdText);
  const Replay r = replayed(std::string(text));
  // Which machine it was, and so what its calls are called and wait for, is not told.
  CHECK(r.timeline(0) == story("sys#0"));
  CHECK(r.of_kind(SpanKind::kWait) ==
        Lines{"10: wait 1000+2000 wait_unk", "10: wait 3000+3000 wait_cpu"});
  CHECK(perf.of_kind(SpanKind::kWait) ==
        Lines{"10: wait 1000+2000 wait_pipe", "10: wait 3000+3000 wait_cpu"});
  CHECK(std::ranges::count(unseen(r), "times below a microsecond") == 1);
  CHECK(std::ranges::count(unseen(perf), "times below a microsecond") == 0);
  CHECK(found_in(std::string(text)).of(Counter::kEntryBadLength) == 0);
}

TEST_CASE("text that begins with the idle thread is no page") {
  const std::string line =
      "          <idle>-0       [000] d..2.     5.000000: sched_switch: prev_comm=swapper/0 "
      "prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=server next_pid=10 next_prio=120\n";
  const std::string rest =
      "          server-10      [000] .....     5.000050: sys_enter: NR 1 (4, 0, 0, 0, 0, 0)\n";
  CHECK(replayed(line + rest).timeline(0) == Lines{"user 0+50000 server"});
  const auto page = opened("<html>\n<body>\n</html>\n");
  REQUIRE_FALSE(page);
  CHECK(page.error().sentence == "is a page, but none of KUtrace's");
}

TEST_CASE("events that the buffers did not keep are said") {
  CHECK(replayed(std::string(kFtraceText)).info.facts.get(fact::kDiscardedEvents) == 3);
}

TEST_CASE("a line of lost events is loss up to the next event of that CPU") {
  const std::string_view lost = GENERATE("CPU:0 [LOST 12 EVENTS]", "CPU:0 [12 EVENTS DROPPED]");
  std::string text(kFtraceText.substr(0, kFtraceText.find("          <idle>-0       [000] d..2.")));
  text += std::string(lost) + "\n" +
          "          server-10      [000] .....     5.000050: sys_enter: NR 1 (4, 0, 0, 0, 0, 0)\n"
          "          server-10      [000] .....     5.000060: sys_exit: NR 1 = 1\n";
  const Replay r = replayed(text);
  REQUIRE(r.info.losses.size() == 2);  // and CPU 1 before its first event
  CHECK(r.info.losses.back().entries == 12);
  CHECK(r.timeline(0).back() == "syscall 50000+10000 sys#1(4)=1");
}

TEST_CASE("a thread whose name looks like a number of a thread is itself") {
  read::KernelEvent waking;
  REQUIRE(read::parse_event_text(read::What::kWaking,
                                 "comm=x pid=3 pid=500 prio=120 target_cpu=000", waking));
  CHECK(waking.numbers[0] == 500);
  read::KernelEvent change;
  REQUIRE(read::parse_event_text(
      read::What::kSwitch,
      "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=x next_pid=7 next_pid=500 "
      "next_prio=120",
      change));
  CHECK(change.numbers[2] == 500);
}

TEST_CASE("a line with a time before all others moves no begin") {
  const std::string late =
      "          server-10      [000] .....     0.000001: sys_enter: NR 1 (4, 0, 0, 0, 0, 0)\n";
  const Replay r = replayed(std::string(kFtraceText) + late);
  CHECK(r.info.end - r.info.begin < 1'000'000'000);
  CHECK(found_in(std::string(kFtraceText) + late).of(Counter::kTimeClamped) == 1);
}

TEST_CASE("one line far ahead of those around it is left out, and said") {
  const std::string line =
      "          server-10      [000] .....   905.000041: sys_enter: NR 1 (4, 0, 0, 0, 0, 0)\n";
  std::string text(kFtraceText);
  const std::string_view before = GENERATE("          <idle>-0       [000] d..2.", "CPU 0");
  const std::size_t place = std::min(text.find(before), text.size());
  const bool is_last = place == text.size();
  text.insert(place, line);
  if (is_last) {
    text +=
        "          server-10      [000] .....     5.000060: sys_enter: NR 1 (4, 0, 0, 0, 0, 0)\n";
    text += "          server-10      [000] .....     5.000070: sys_exit: NR 1 = 1\n";
  }
  const Replay r = replayed(text);
  CHECK(r.info.end - r.info.begin < 1'000'000'000);
  CHECK(found_in(text).of(Counter::kTimeClamped) == 0);
  CHECK(found_in(text).of(Counter::kEntryBadLength) == 1);
  CHECK(std::ranges::count(unseen(r), "1 event far ahead of the others") == 1);
  if (!is_last) CHECK(r.timeline(0) == replayed(std::string(kFtraceText)).timeline(0));
}

TEST_CASE("what is lost behind a CPU's last line is lost up to the end") {
  const Replay r = replayed(
      std::string(kFtraceText) +
      "CPU:0 [LOST 12 EVENTS]\n"
      "          client-20      [001] .....     6.000000: sys_enter: NR 1 (4, 0, 0, 0, 0, 0)\n");
  CHECK(r.timeline(0).back().find(" -loss-(1)") != std::string::npos);
  CHECK(r.info.losses.back().entries == 12);
}

TEST_CASE("a CPU that sleeps for long loses nothing") {
  const Replay r = replayed(
      std::string(kFtraceText) +
      "          server-10      [000] .....   905.000000: sys_enter: NR 1 (4, 0, 0, 0, 0, 0)\n"
      "          server-10      [000] .....   905.000010: sys_exit: NR 1 = 1\n");
  CHECK(r.timeline(0).back() == "syscall 900000000000+10000 sys#1(4)=1");
}

TEST_CASE("a line of a thread or CPU that cannot be is counted, and is nobody else's") {
  const std::string_view line = GENERATE(
      "      far-536870923   [000] .....     5.000090: sys_enter: NR 1 (4, 0, 0, 0, 0, 0)\n",
      "          server-10      [70000] .....     5.000090: sys_enter: NR 1 (4, 0, 0, 0, 0, 0)\n",
      "          server-10      [000] d..2.     5.000090: sched_waking: comm=x pid=536870923 "
      "prio=120 "
      "target_cpu=000\n");
  const std::string text = std::string(kFtraceText) + std::string(line);
  CHECK(found_in(text).of(Counter::kEntryBadLength) == 1);
  const Replay with = replayed(text);
  const Replay without = replayed(std::string(kFtraceText));
  CHECK(with.info.threads.size() == without.info.threads.size());
  CHECK(with.info.cpus == without.info.cpus);
}

TEST_CASE("a thread that gets its process's number as it starts a program is the same thread") {
  const Replay r = replayed(
      "   other-11  [000] .....     5.000000: sched_switch: prev_comm=other prev_pid=11 "
      "prev_prio=120 prev_state=R ==> next_comm=old next_pid=12 next_prio=120\n"
      "     old-12  [000] .....     5.000000: sys_enter: NR 59 (1, 2, 3, 4, 5, 6)\n"
      "     new-10  [000] .....     5.000020: sched_process_exec: filename=/a pid=10 old_pid=12\n"
      "     new-10  [000] .....     5.000030: sys_exit: NR 59 = 0\n"
      "     new-10  [000] .....     5.000040: sys_enter: NR 3 (1, 2, 3, 4, 5, 6)\n");
  CHECK(r.timeline(0) == Lines{"syscall 0+20000 sys#59(1)", "syscall 20000+10000 sys#59(1)=0",
                               "user 30000+10000 new"});
}

TEST_CASE("a line in another form is counted, not guessed") {
  std::string text(kFtraceText);
  text +=
      "          server-10      [000] .....     5.000020: sched_switch: prev_comm=server "
      "prev_pid=\n";
  text += "something else\n";
  CHECK(found_in(text).of(Counter::kEntryBadLength) == 2);
  CHECK(std::ranges::count(unseen(replayed(text)), "2 lines that could not be read") == 1);
}

TEST_CASE("parts of a line are told apart") {
  const auto parts = [](std::string_view text) -> std::string {
    const auto line = read::parse_event_line(text);
    if (!line) return "none";
    return std::string(line->thread) + "|" + std::to_string(line->pid) + "|" +
           std::to_string(line->cpu) + "|" + std::to_string(line->time) + "|" +
           std::string(line->event) + "|" + std::string(line->text);
  };
  CHECK(parts("  my-comm-12  [003] d..1  1.000002: x: y z") == "my-comm|12|3|1000002000|x|y z");
  CHECK(parts("  a b-12  (   10) [003] d..1  1.5: x: y") == "a b|12|3|1500000000|x|y");
  CHECK(parts("  a [1] b  12 [003]  1.000000002: s:x: y") == "a [1] b|12|3|1000000002|x|y");
  CHECK(parts("  :-1    -1 [003]  1.0: s:x:") == ":-1|-1|3|1000000000|x|");
  CHECK(parts("  a-12 [003] d... 123: x: y") == "none");
  CHECK(parts("  a-12 [003] d... 1.0: some_function <-other") == "none");
  CHECK(parts("") == "none");
}

TEST_CASE("names of threads may hold what stands around them") {
  read::KernelEvent event;
  REQUIRE(read::parse_event_text(read::What::kSwitch, "kworker/0:1:17 [120] D ==> a [1:5 [120]",
                                 event));
  CHECK(event.text(0) == "kworker/0:1");
  CHECK(event.number_as_pid(0) == 17);
  CHECK(event.numbers[1] == 1);
  CHECK(event.text(1) == "a [1");
  CHECK(event.number_as_pid(2) == 5);
  REQUIRE(read::parse_event_text(read::What::kSyscall, "NR 9 (0, 2000, 3, 22, ffffffffffffffff, 0)",
                                 event));
  CHECK(event.known == 7);
  CHECK(event.numbers[5] == -1);
  CHECK_FALSE(read::parse_event_text(read::What::kSyscallReturn, "NR 9 = ", event));
}

}  // namespace
}  // namespace kutrace::test
