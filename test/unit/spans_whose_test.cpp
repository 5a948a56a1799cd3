// SPDX-License-Identifier: BSD-3-Clause
// Whose time it is, and whose names: behind faults that fail or have no return, threads that change
// their number or were switched to unseen, programs that name the same number differently.
#include <catch2/catch.hpp>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr EventNum kInvalidOpcode = 0x406;
constexpr EventNum kExec = 0x800 + 59;
constexpr std::uint32_t kSegv = 11;

TraceBuilder named() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 59, "execve");
  b.name(kind::kTRAP_NAME, 14, "page_fault").name(kind::kTRAP_NAME, 6, "ud");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  return b;
}

std::vector<std::string> names_of(const Replay& r, SpanKind kind, EventNum event) {
  std::vector<std::string> names;
  for (const Span& span : r.spans)
    if (span.kind == kind && span.event == event) names.push_back(r.names.text(span.name));
  return names;
}

}  // namespace

TEST_CASE("a fault that fails ends with its signal, and its handler is user code") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, ev::kPageFault, 7).at(20, ev::kPageFault | kReturn, kSegv);
  b.at(40, kRead).at(50, kRead | kReturn);
  const Replay r = replayed(b, 60);
  CHECK(r.timeline(0) == Lines{"user 0+160 server", "fault 160+160 page_fault(7)=11",
                               "user 320+320 server", "syscall 640+160 read=0",
                               "user 800+160 server"});
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

TEST_CASE(
    "an exception that is known by its signal ends a fault of user code, a longer one does not") {
  for (const unsigned ticks : {1u, 2u}) {
    TraceBuilder b = named();
    b.cpu(0, 10).at(10, ev::kPageFault, 7).folded(20, kInvalidOpcode, 0, ticks, 0);
    const Replay r = replayed(b, 60);
    CHECK(r.timeline(0).back() ==
          (ticks == 1 ? "user 336+624 server" : "fault 352+608 page_fault(7)"));
  }
}

TEST_CASE("without returns a fault is a moment, whatever follows") {
  TraceBuilder b = named();
  b.fact("fault_returns", "off").cpu(0, 10).at(10, ev::kPageFault, 7).at(30, ev::kPageFault, 7);
  b.at(40, kRead).at(45, ev::kPageFault).at(50, kRead | kReturn).at(55, ev::kPageFault | kReturn);
  const Replay r = replayed(b, 60);
  CHECK(r.timeline(0) ==
        Lines{"user 0+640 server", "syscall 640+160 read=0", "user 800+160 server"});
  CHECK(names_of(r, SpanKind::kPoint, ev::kPageFault) == std::vector<std::string>(3, "page_fault"));
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

//   15 execve        is 10 from here
//   |user|execve     |execve of 10 |user of 10
TEST_CASE("a thread that gets another number goes on with what it was in") {
  for (const bool switched : {false, true}) {
    TraceBuilder b = named();
    b.name(kind::kPID_NAME, 15, "thread").cpu(0, 15).at(10, kExec);
    if (switched) b.at(20, ev::kUSERPID, 20).at(25, ev::kUSERPID, 10);
    b.words_at(30, kind::kTASK, 10, {std::uint64_t{15} << 32 | KUTRACE_TASK_RENUMBERED, 10});
    b.at(40, kExec | kReturn).at(50, kRead).at(60, kRead | kReturn);
    const Replay r = replayed(b, 70);
    CAPTURE(switched);
    for (const Span& span : r.spans)
      if (span.start >= 480 && span.cpu == 0) CHECK(span.pid == 10);
    CHECK(r.timeline(0).back() == "user 960+160 server");
    CHECK_FALSE(r.info.counters.named(Severity::kRepair).contains("return_without_call"));
    CHECK(r.info.losses.empty());
  }
}

TEST_CASE("the dead first thread, which gets the other number, disturbs nobody") {
  TraceBuilder b = named();
  b.cpu(1, 10).at(5, kRead);
  b.words_at(32, kind::kTASK, 15, {std::uint64_t{10} << 32 | KUTRACE_TASK_RENUMBERED, 10});
  b.at(34, ev::kUSERPID, 0);
  b.cpu(0, 15).at(10, kExec);
  b.words_at(30, kind::kTASK, 10, {std::uint64_t{15} << 32 | KUTRACE_TASK_RENUMBERED, 10});
  b.at(40, kExec | kReturn).at(50, kRead).at(60, kRead | kReturn);
  const Replay r = replayed(b, 70);
  CHECK(r.timeline(0).back() == "user 960+160 server");
  CHECK_FALSE(r.info.counters.named(Severity::kRepair).contains("return_without_call"));
}

TEST_CASE("a thread that takes the number of one that runs has it from there on") {
  TraceBuilder b = named();
  b.cpu(1, 10).at(5, kRead);
  b.cpu(0, 15).at(10, ev::kUSERPID, 0).at(30, ev::kUSERPID, 15 | KUTRACE_SWITCH_UNSEEN);
  b.words_at(30, kind::kTASK, 10, {std::uint64_t{15} << 32 | KUTRACE_TASK_RENUMBERED, 10});
  const Replay r = replayed(b, 70);
  Ns free_from = 0;
  for (const ThreadLife& life : r.lives) {
    if (life.pid != 10) continue;
    CHECK(life.begin >= free_from);
    free_from = life.end;
  }
  CHECK(free_from > 480);
}

TEST_CASE("a block that begins with the thread that was found is no damage") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kRead).at(20, kRead | kReturn);
  b.new_block(50, 20).at(50, ev::kUSERPID, 20 | KUTRACE_SWITCH_UNSEEN).at(55, kRead);
  const Replay r = replayed(b, 70);
  REQUIRE(r.info.losses.size() == 1);
  CHECK(r.info.losses[0].reason == KUTRACE_LOSS_UNSEEN);
  CHECK_FALSE(r.info.counters.named(Severity::kRepair).contains("block_pid_mismatch"));
}

TEST_CASE("where switches were not recorded, nobody's own time is given to anybody") {
  TraceBuilder b = named();
  b.fact("events", "syscalls").cpu(0, 10).at(10, kRead).at(20, kRead | kReturn);
  b.new_block(50, 20).at(55, kRead).at(60, kRead | kReturn);
  const Replay r = replayed(b, 70);
  CHECK(r.info.losses.empty());
  for (const Span& span : r.spans) CHECK(span.kind != SpanKind::kUser);
}

TEST_CASE("where system calls were not recorded, none that was under way lasts for ever") {
  TraceBuilder b = named();
  b.fact("events", "irqs,sched").task(20, 20, 0, 0);
  b.cpu(0, 10).at(10, kRead).at(40, ev::kUSERPID, 20);
  const Replay r = replayed(b, 70);
  for (const Span& span : r.spans) CHECK(span.kind != SpanKind::kSyscall);
  CHECK(r.timeline(0).back().starts_with("user"));
}

// Between the question what it waits in and the recording, a thread may leave that call.
TEST_CASE("a thread that was asked what it waits in may have left it before the recording began") {
  for (const bool left : {false, true}) {
    TraceBuilder b = named();
    b.task(10, 10, 0, 0).cpu(0, 10);
    if (left) b.at(10, kWrite).at(20, kWrite | kReturn, 1);
    b.at(30, kRead | kReturn, 5);
    const Replay r = replayed(b, 40);
    CAPTURE(left);
    CHECK(r.timeline(0).front() == (left ? "user 0+160 server" : "syscall 0+480 read=5"));
    CHECK(r.info.counters.named(Severity::kRepair).contains("resumed_in_user") == left);
    CHECK_FALSE(r.info.counters.named(Severity::kRepair).contains("missing_return"));
  }
}

TEST_CASE(
    "what has its parent's memory has its names, and gives it names, until it starts a program") {
  TraceBuilder b = named();
  b.task(10, 10, 0).cpu(0, 10);
  const auto name = [&](std::uint64_t time, const char* text) {
    b.words_at(time, kind::kLOCK_NAME, 7, text_words(text)).at(time + 1, ev::kLOCK_TRY, 7);
  };
  name(20, "mine");
  for (const Pid child : {40, 50}) {
    const std::uint64_t shares = child == 40 ? KUTRACE_TASK_SHARES_MEMORY : 0;
    const std::uint64_t time = 10 * static_cast<std::uint64_t>(child);
    b.words_at(time, kind::kTASK, static_cast<std::uint32_t>(child),
               {shares, std::uint64_t{10} << 32 | static_cast<std::uint64_t>(child)});
    b.at(time + 1, ev::kUSERPID, static_cast<std::uint32_t>(child)).at(time + 2, ev::kLOCK_TRY, 7);
    name(time + 3, child == 40 ? "shared" : "copied");
    b.at(time + 5, kExec).at(time + 6, kExec | kReturn);
    name(time + 7, "new program");
    b.at(time + 9, ev::kUSERPID, 10).at(time + 9, ev::kLOCK_TRY, 7);
  }
  const Replay r = replayed(b, 600);
  CHECK(names_of(r, SpanKind::kPoint, ev::kLOCK_TRY) ==
        std::vector<std::string>{"mine", "mine", "shared", "new program", "shared", "shared",
                                 "copied", "new program", "shared"});
}

TEST_CASE("a number that several programs name is what each of them calls it") {
  TraceBuilder b = named();
  b.task(10, 10, 0).task(20, 20, 0).task(30, 30, 0);
  b.words_entry(kind::kTASK, 40, {0, std::uint64_t{10} << 32 | 40});  // a child of 10
  const auto lock = [&](Pid pid) { b.cpu(static_cast<CpuId>(pid), pid).at(100, ev::kLOCK_TRY, 7); };
  b.cpu(10, 10).words_at(20, kind::kLOCK_NAME, 7, text_words("mine"));
  b.cpu(20, 20).words_at(30, kind::kLOCK_NAME, 7, text_words("yours"));
  b.cpu(20).words_at(31, kind::kMETHOD_NAME, 5, text_words("get"));
  for (const Pid pid : {10, 20, 30, 40}) lock(pid);
  b.cpu(30).at(110, ev::kRPC_REQUEST, 5);
  const Replay r = replayed(b, 200);
  CHECK(names_of(r, SpanKind::kPoint, ev::kLOCK_TRY) ==
        std::vector<std::string>{"mine", "yours", "lock.7", "mine"});
  CHECK(names_of(r, SpanKind::kPoint, ev::kRPC_REQUEST) == std::vector<std::string>{"get.5"});
}

}  // namespace kutrace::test
