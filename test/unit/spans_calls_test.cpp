// SPDX-License-Identifier: BSD-3-Clause
// Calls as wholes: their pieces, what they waited for, whose they are, and how they end.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "format/event_table.h"
#include "format/name_entries.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr EventNum kExit = 0x83c;

TraceBuilder named() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kSYSCALL_NAME, 60, "exit");
  b.name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  return b;
}

// The lines of calls of this name.
Lines calls_of(const Replay& r, const std::string& name) {
  Lines lines;
  std::ranges::copy_if(r.calls, std::back_inserter(lines), [&](const std::string& line) {
    return line.find('"' + name + '"') != std::string::npos;
  });
  return lines;
}

//   10      20   30     60
//   |read   |timer|read  |
TEST_CASE(
    "a call that is interrupted is one call of two pieces, and what interrupts is its child") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kRead, 3).at(20, kTimer).at(30, kTimer | kReturn).at(60, kRead | kReturn, 5);
  const Replay r = replayed(b, 100);
  CHECK(calls_of(r, "read") == Lines{R"(160 800 0 10 syscall 800 3 5 640 800 2 1 0 "read")"});
  CHECK(calls_of(r, "local_timer") ==
        Lines{R"(320 160 0 0 irq 5ec 0 0 160 160 1 2 1 "local_timer")"});
}

// Blocked from 20 to 50, runnable to 80.
TEST_CASE("a call that blocks lasts until it returns, and says what it waited for") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kRead).at(16, kSched).at(20, ev::kUSERPID, 20).at(24, kSched | kReturn);
  b.at(40, kWrite).at(50, ev::kRUNNABLE, 10).at(60, kWrite | kReturn);
  b.at(70, kSched).at(80, ev::kUSERPID, 10).at(84, kSched | kReturn);
  b.at(90, kRead | kReturn, 7);
  const Replay r = replayed(b, 100);
  CHECK(calls_of(r, "read") ==
        Lines{R"(160 1280 0 10 syscall 800 0 7 192 320 2 1 0 "read" wait_pipe=480 wait_cpu=480)"});
  CHECK(calls_of(r, "write").size() == 1);
}

TEST_CASE("a call goes on on another CPU") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kRead).at(20, ev::kUSERPID, 0).at(95, kTimer).at(96, kTimer | kReturn);
  b.cpu(1, 20).at(40, kWrite).at(50, ev::kRUNNABLE, 10).at(60, kWrite | kReturn);
  b.at(70, ev::kUSERPID, 10).at(90, kRead | kReturn, 1);
  const Replay r = replayed(b, 100);
  CHECK(calls_of(r, "read") ==
        Lines{R"(160 1280 1 10 syscall 800 0 1 480 480 2 1 0 "read" wait_pipe=480 wait_cpu=320)"});
}

TEST_CASE("eight calls are eight, folded or not, however often they are interrupted") {
  TraceBuilder b = named();
  b.cpu(0, 10);
  for (Ticks at = 10; at < 10 + 4 * 100; at += 100) {
    b.at(at, kRead).at(at + 10, kTimer).at(at + 20, kTimer | kReturn);
    b.at(at + 30, kTimer).at(at + 40, kTimer | kReturn).at(at + 50, kRead | kReturn);
    b.folded(at + 60, kRead, 0, 5, 1);
  }
  CHECK(calls_of(replayed(b, 500), "read").size() == 8);
}

TEST_CASE("a call that is under way at the begin, at the end or in a loss is inferred there") {
  TraceBuilder b = named();
  b.task(10, 10, 0, 0);
  b.cpu(0, 20).at(10, kWrite).at(20, ev::kRUNNABLE, 10).at(25, kWrite | kReturn);
  b.at(30, ev::kUSERPID, 10).at(40, kRead | kReturn, 1).at(50, kRead);
  const Replay r = replayed(b, 100);
  const Lines reads = calls_of(r, "read");
  REQUIRE(reads.size() == 2);
  CHECK(reads[0].find("begin=inferred") != std::string::npos);
  CHECK(reads[0].find("end=inferred") == std::string::npos);
  CHECK(reads[1].find("begin=inferred") == std::string::npos);
  CHECK(reads[1].find("end=inferred") != std::string::npos);
  CHECK(r.law.inferred_calls == 2);
}

// The thread 10 that ends in exit is not the thread 10 that begins later.
TEST_CASE("two threads that have one number in turn are two lives, with calls of their own") {
  TraceBuilder b = named();
  b.cpu(0, 20).words_at(10, kind::kTASK, 10, {0, std::uint64_t{20} << 32 | 10});
  b.at(12, ev::kUSERPID, 10).at(20, kExit).at(30, ev::kUSERPID, 20);
  b.words_at(50, kind::kTASK, 10, {0, std::uint64_t{20} << 32 | 10});
  b.at(60, ev::kUSERPID, 10).at(70, kRead).at(80, kRead | kReturn);
  const Replay r = replayed(b, 100);
  std::vector<ThreadLife> lives;
  std::ranges::copy_if(r.lives, std::back_inserter(lives),
                       [](const ThreadLife& life) { return life.pid == 10; });
  REQUIRE(lives.size() == 2);
  CHECK(lives[0].thread != lives[1].thread);
  CHECK(lives[0].begin == 160);
  CHECK(lives[0].end == 480);
  CHECK(lives[1].begin == 800);
  CHECK(lives[1].end == 1600);
  CHECK(calls_of(r, "exit").size() == 1);
  CHECK(calls_of(r, "read").size() == 1);
}

// The kernel names a new thread before it tells that there is one.
TEST_CASE("each of two threads that had one number in turn has its own name") {
  TraceBuilder b = named();
  const auto named_at = [&b](Ticks time, const char* name) {
    const LooseEntry entry = name_entry(kind::kPID_NAME, 10, name);
    b.words_at(time, kind::kPID_NAME, entry.arg, entry.payload);
  };
  const auto begins_at = [&b](Ticks time) {
    b.words_at(time, kind::kTASK, 10, {0, std::uint64_t{20} << 32 | 10});
  };
  b.cpu(0, 20);
  named_at(9, "parent");
  begins_at(10);
  b.at(12, ev::kUSERPID, 10);
  named_at(15, "alpha");
  b.at(20, kExit).at(30, ev::kUSERPID, 20);
  named_at(49, "parent");
  begins_at(50);
  b.at(60, ev::kUSERPID, 10);
  named_at(65, "beta");
  b.at(70, kRead).at(80, kRead | kReturn);
  const Replay r = replayed(b, 100);
  std::vector<std::string> found;
  for (const ThreadLife& life : r.lives) {
    if (life.pid == 10) found.push_back(r.names.text(life.name));
  }
  CHECK(found == std::vector<std::string>{"alpha", "beta"});
}

TEST_CASE("a thread that runs on a second CPU has left the first, whoever runs there") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kRead).at(80, ev::kUSERPID, 20);
  b.cpu(1, 20).at(50, ev::kUSERPID, 10).at(60, kRead | kReturn);
  const Replay r = replayed(b, 100);
  const Lines cpu = r.timeline(0);
  REQUIRE(cpu.size() == 4);
  CHECK(cpu[1] == "syscall 160+640 read");
  CHECK(cpu[2].starts_with("loss 800+480 -loss-"));
  CHECK(cpu[3] == "user 1280+320 client");
  CHECK(r.info.counters.named(Severity::kRepair).at("left_unseen") == 1);
  REQUIRE(r.info.losses.size() == 1);
  CHECK(r.info.losses[0].reason == KUTRACE_LOSS_UNSEEN);
}

TEST_CASE("the list of losses says what the spans say, whatever interrupts them") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kRead).at(60, kTimer).at(70, kTimer | kReturn).at(80, ev::kUSERPID, 20);
  b.cpu(1, 20).at(50, ev::kUSERPID, 10).at(65, kRead | kReturn);
  const Replay r = replayed(b, 100);
  Ns listed = 0;
  for (const LossRecord& loss : r.info.losses) listed += loss.end - loss.begin;
  CHECK(listed == 320);
  CHECK(r.timeline(0)[2] == "loss 800+160 -loss-(9)");
}

}  // namespace
}  // namespace kutrace::test
