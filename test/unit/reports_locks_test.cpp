// SPDX-License-Identifier: BSD-3-Clause
// Moments with numbers, and waits for locks: from entries to rows.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "emit/text/locks_text.h"
#include "format/event_table.h"
#include "kutrace/abi.h"
#include "reports/lock_waits.h"
#include "spans/rebuild.h"
#include "support/event_numbers.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr std::uint32_t kBlocked = KUTRACE_SWITCH_BLOCKED;
constexpr std::uint64_t kSpinFlag = 1;
constexpr std::uint64_t kMutexFlag = 32;
constexpr std::uint64_t kPrivateWait = 128;
constexpr std::uint64_t kLockPi = 6;

TraceBuilder& point(TraceBuilder& b, Ticks time, EventNum number,
                    const std::vector<std::uint64_t>& numbers) {
  return b.words_at(time, kind::kPOINT, number, numbers);
}

std::vector<std::string> locks(TraceBuilder& b, reports::LockWaits::Part part = {}) {
  NameTable names;
  reports::LockWaits locks(names, std::move(part));
  const RawFile file = b.file(1000);
  const auto info = spans::rebuild(file, names, locks);
  REQUIRE(info);
  std::vector<std::string> lines;
  for (const reports::LockRow& row : locks.rows(*info)) {
    lines.push_back(std::string(lock_kind_name(row.kind)) + " " + std::to_string(row.address) +
                    " waits=" + std::to_string(row.waits) +
                    " failed=" + std::to_string(row.failed) + " ns=" + std::to_string(row.total) +
                    " owner=" + std::to_string(row.owner) +
                    " ended_by=" + std::to_string(row.ended_by));
  }
  return lines;
}

// Thread 10 sleeps on the futex from 20 to 50, when 30 wakes it.
TraceBuilder futex_wait(std::uint64_t operation, std::uint64_t expected, std::uint64_t word) {
  TraceBuilder b;
  b.cpu(0, 10);
  point(b, 20, ev::kFUTEX_WAIT, {0x1000, expected << 32 | operation, word});
  b.at(20, ev::kUSERPID, 30 | kBlocked).at(50, ev::kRUNNABLE, 10);
  return b.at(80, ev::kUSERPID, 10 | kBlocked);
}

TEST_CASE("a moment has up to three numbers, and the thread that runs") {
  TraceBuilder b;
  b.cpu(0, 10);
  point(b, 20, ev::kSIGNAL_SEND, {10, 77, ~0ull}).at(30, ev::kUSERPID, 30 | kBlocked);
  point(b, 40, ev::kWORK_END, {0xffff888000001000});
  point(b, 50, 0x21f, {1});  // not one of them
  point(b, 60, 0x27f, {1});
  const Replay r = replayed(b, 100);
  std::vector<Span> found;
  for (const Span& span : r.spans)
    if (span.kind == SpanKind::kPoint && has_numbers(span.event)) found.push_back(span);
  REQUIRE(found.size() == 2);
  CHECK(r.names.text(found[0].name) == "signal_send");
  CHECK(found[0].pid == 10);
  CHECK(found[0].arg == 10);
  CHECK(found[0].value == 77);
  CHECK(found[0].has_result);
  CHECK(found[0].result == CallResult{-1, true});
  CHECK(found[1].pid == 30);
  CHECK(found[1].arg == 0xffff888000001000);
  CHECK(!found[1].has_result);
}

TEST_CASE("who has a lock and who ends a wait are called by their last number") {
  TraceBuilder b;
  b.task(30, 29, 0).cpu(0, 10);
  point(b, 20, ev::kFUTEX_WAIT, {0x1000, kLockPi, 30});
  b.at(20, ev::kUSERPID, 30 | kBlocked).at(50, ev::kRUNNABLE, 10);
  b.words_at(60, kind::kTASK, 29, {std::uint64_t{30} << 32 | KUTRACE_TASK_RENUMBERED, 29});
  b.at(80, ev::kUSERPID, 10 | kBlocked);
  CHECK(locks(b) ==
        std::vector<std::string>{"futex pi 4096 waits=1 failed=0 ns=480 owner=29 ended_by=29"});
}

TEST_CASE("a mutex that is spun for first is waited for once, from the first moment on") {
  TraceBuilder b;
  b.cpu(0, 10).at(10, kRead, 3);
  point(b, 20, ev::kCONTENTION_BEGIN, {64, kMutexFlag | kSpinFlag});
  point(b, 30, ev::kCONTENTION_BEGIN, {64, kMutexFlag});
  point(b, 40, ev::kCONTENTION_BEGIN, {8, kSpinFlag});  // of an interrupt
  point(b, 45, ev::kCONTENTION_END, {8, 0, 0});
  point(b, 90, ev::kCONTENTION_END, {64, 0, static_cast<std::uint64_t>(-4)});
  point(b, 95, ev::kCONTENTION_END, {16, 0, 0});  // its begin was not seen
  CHECK(locks(b) ==
        std::vector<std::string>{"mutex 64 waits=1 failed=1 ns=1120 owner=-1 ended_by=-1",
                                 "spinlock 8 waits=1 failed=0 ns=80 owner=-1 ended_by=-1"});
}

TEST_CASE("a wait whose end may be lost does not last until the next one") {
  TraceBuilder b;
  b.cpu(0, 10);
  point(b, 20, ev::kCONTENTION_BEGIN, {64, kSpinFlag});
  b.lost(30, 60).at(60, ev::kUSERPID, 10);
  point(b, 70, ev::kCONTENTION_BEGIN, {64, kSpinFlag});
  point(b, 80, ev::kCONTENTION_END, {64, 0, 0});
  CHECK(locks(b) ==
        std::vector<std::string>{"spinlock 64 waits=1 failed=0 ns=160 owner=-1 ended_by=-1"});
}

TEST_CASE("interrupts of two idle CPUs wait for locks, each for its own") {
  TraceBuilder b;
  b.cpu(0, 10).at(10, ev::kUSERPID, kBlocked);
  point(b, 20, ev::kCONTENTION_BEGIN, {64, kSpinFlag});
  point(b, 40, ev::kCONTENTION_END, {64, 0, 0});
  b.cpu(1, 20).at(10, ev::kUSERPID, kBlocked);
  point(b, 30, ev::kCONTENTION_BEGIN, {64, kSpinFlag});
  point(b, 35, ev::kCONTENTION_BEGIN, {8, kSpinFlag});
  point(b, 50, ev::kCONTENTION_END, {8, 0, 0});
  point(b, 70, ev::kCONTENTION_END, {64, 0, 0});
  CHECK(locks(b) ==
        std::vector<std::string>{"spinlock 64 waits=2 failed=0 ns=960 owner=-1 ended_by=-1",
                                 "spinlock 8 waits=1 failed=0 ns=240 owner=-1 ended_by=-1"});
}

TEST_CASE("futexes: contended locks apart from waits for work") {
  TraceBuilder lock = futex_wait(kPrivateWait, 2, 2);
  CHECK(locks(lock) ==
        std::vector<std::string>{"futex lock 4096 waits=1 failed=0 ns=480 owner=-1 ended_by=30"});
  TraceBuilder idle = futex_wait(kPrivateWait, 0, 0);
  CHECK(locks(idle) ==
        std::vector<std::string>{"futex idle 4096 waits=1 failed=0 ns=480 owner=-1 ended_by=30"});
  TraceBuilder owned = futex_wait(kLockPi, 0, 0x8000'001e);
  CHECK(locks(owned) ==
        std::vector<std::string>{"futex pi 4096 waits=1 failed=0 ns=480 owner=30 ended_by=30"});
}

// The same in a system call, after whose end the thread stops once more, as one that is traced
// does.
TraceBuilder futex_call(std::uint64_t operation, std::uint64_t expected, std::int16_t result) {
  TraceBuilder b;
  b.cpu(0, 10).at(1, kRead).at(2, kRead + kReturn);
  const std::vector<std::uint64_t> numbers{0x1000, expected << 32 | operation, expected};
  point(b, 4, ev::kFUTEX_WAIT, numbers).at(4, ev::kUSERPID, 30 | kBlocked);
  b.at(6, ev::kRUNNABLE, 10).at(8, ev::kUSERPID, 10 | kBlocked).at(10, kFutex);
  point(b, 20, ev::kFUTEX_WAIT, numbers);
  b.at(20, ev::kUSERPID, 30 | kBlocked).at(50, ev::kRUNNABLE, 10);
  b.at(80, ev::kUSERPID, 10 | kBlocked)
      .at(90, kFutex + kReturn, static_cast<std::uint16_t>(result));
  point(b, 100, ev::kFUTEX_WAIT, numbers).at(100, ev::kUSERPID, 30 | kBlocked);
  b.at(200, ev::kRUNNABLE, 10);
  return b.at(300, ev::kUSERPID, 10 | kBlocked);
}

TEST_CASE("futexes: a wait that was given up has nobody who gave the lock back") {
  TraceBuilder got = futex_call(kPrivateWait, 2, 0);
  CHECK(locks(got) ==
        std::vector<std::string>{"futex lock 4096 waits=1 failed=0 ns=480 owner=-1 ended_by=30"});
  TraceBuilder timed_out = futex_call(kPrivateWait, 2, -110);
  CHECK(locks(timed_out) ==
        std::vector<std::string>{"futex lock 4096 waits=1 failed=1 ns=480 owner=-1 ended_by=-1"});
}

TEST_CASE("futexes: who wakes others waits for none, whatever stops it") {
  constexpr std::uint64_t kWake = 1;
  TraceBuilder woke = futex_call(kWake, 1, 1);
  CHECK(locks(woke).empty());
}

TEST_CASE("futexes: a word that names a thread of the process is a lock that this thread has") {
  constexpr std::uint64_t kWaitersBit = 0x8000'0000;
  TraceBuilder held = futex_call(kPrivateWait, kWaitersBit | 30, 0);
  held.task(10, 10, 0).task(30, 10, 0);
  CHECK(locks(held) ==
        std::vector<std::string>{"futex lock 4096 waits=1 failed=0 ns=480 owner=30 ended_by=30"});
  TraceBuilder other = futex_call(kPrivateWait, kWaitersBit | 30, 0);
  other.task(10, 10, 0).task(30, 30, 0);
  CHECK(locks(other) ==
        std::vector<std::string>{"futex idle 4096 waits=1 failed=0 ns=480 owner=-1 ended_by=30"});
}

// A mutex from 320 to 1,440 ns, of which the futex wait of another thread has 480.
TraceBuilder two_locks() {
  TraceBuilder b = futex_wait(kPrivateWait, 2, 2);
  b.cpu(1, 20);
  point(b, 20, ev::kCONTENTION_BEGIN, {64, kMutexFlag});
  point(b, 90, ev::kCONTENTION_END, {64, 0, static_cast<std::uint64_t>(-4)});
  return b;
}

TEST_CASE("of a wait counts what lies in the windows, and nothing if none of it does") {
  const auto within = [](std::vector<TimeWindow> windows) {
    TraceBuilder b = two_locks();
    return locks(b, {std::move(windows), {}});
  };
  CHECK(within({{0, 400}, {1'000, 1'100}}) ==
        std::vector<std::string>{"mutex 64 waits=1 failed=1 ns=180 owner=-1 ended_by=-1",
                                 "futex lock 4096 waits=1 failed=0 ns=80 owner=-1 ended_by=30"});
  CHECK(within({{400, kForever}}) ==
        std::vector<std::string>{"mutex 64 waits=1 failed=1 ns=1040 owner=-1 ended_by=-1",
                                 "futex lock 4096 waits=1 failed=0 ns=400 owner=-1 ended_by=30"});
  CHECK(within({{800, 1'000}}) ==
        std::vector<std::string>{"mutex 64 waits=1 failed=1 ns=200 owner=-1 ended_by=-1"});
  CHECK(within({{0, 320}, {1'440, 2'000}}).empty());
}

TEST_CASE("a wait that took no time is of the window in which it was") {
  const auto within = [](const TimeWindow& window) {
    TraceBuilder b;
    b.cpu(0, 10);
    point(b, 20, ev::kCONTENTION_BEGIN, {64, kSpinFlag});
    point(b, 20, ev::kCONTENTION_END, {64, 0, 0});
    b.at(40, ev::kUSERPID, 30);
    return locks(b, {{window}, {}}).size();
  };
  CHECK(within({0, 320}) == 0);
  CHECK(within({320, 400}) == 1);
}

TEST_CASE("waits of threads count that are wanted, and of interrupts on CPUs that are") {
  TraceBuilder b = two_locks();
  b.cpu(2, 40).at(10, ev::kUSERPID, kBlocked);
  point(b, 20, ev::kCONTENTION_BEGIN, {8, kSpinFlag});
  point(b, 40, ev::kCONTENTION_END, {8, 0, 0});
  const auto of = [&b](Pid wanted, CpuId cpu) {
    return locks(b, {{}, [=](Pid pid, ThreadId /*thread*/, CpuId at) {
                       return pid > 0 ? pid == wanted : at == cpu;
                     }});
  };
  CHECK(of(10, 0) ==
        std::vector<std::string>{"futex lock 4096 waits=1 failed=0 ns=480 owner=-1 ended_by=30"});
  CHECK(of(20, 0) ==
        std::vector<std::string>{"mutex 64 waits=1 failed=1 ns=1120 owner=-1 ended_by=-1"});
  CHECK(of(30, 2) ==
        std::vector<std::string>{"spinlock 8 waits=1 failed=0 ns=320 owner=-1 ended_by=-1"});
}

TEST_CASE("of a page's addresses the low half is told, and looks like no whole one") {
  reports::LockRow row;
  row.address = 0x816870c0;
  const auto csv_of = [&](emit::Addresses told) {
    std::string text;
    emit::locks_csv({row}, told, [&](std::string_view line) { text = line; });
    return text;
  };
  CHECK(csv_of(emit::Addresses::kLowHalf).find(",...816870c0,") != std::string::npos);
  CHECK(csv_of(emit::Addresses::kWhole).find(",0x816870c0,") != std::string::npos);
  row.address = 0x555a000000c0;
  CHECK(csv_of(emit::Addresses::kLowHalf).find(",...000000c0,") != std::string::npos);
  CHECK(emit::locks_json({row}, emit::Addresses::kLowHalf).find("\"...000000c0\"") !=
        std::string::npos);
}

}  // namespace
}  // namespace kutrace::test
