// SPDX-License-Identifier: BSD-3-Clause
// Numbers of calls that do not fit an entry: arguments, results, system calls above 1022.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>
#include <sstream>
#include <string>

#include "format/call_number.h"
#include "format/event_table.h"
#include "format/name_entries.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr EventNum kUnknown = KUTRACE_UNKNOWN_CALL;
constexpr std::uint64_t kAddress = 0xffff'8880'1234'5678;
constexpr std::int64_t kLong = std::numeric_limits<std::int64_t>::min() + 5;

TraceBuilder& wide(TraceBuilder& b, Ticks time, const WideFacts& facts) {
  const LooseEntry entry = wide_entry(facts);
  return b.words_at(time, kind::kWIDE, entry.arg, entry.payload);
}

struct Told {
  std::string event;
  std::string arg;
  std::string result;
};

// What the text form tells of the only call.
Told only_call(const TraceBuilder& b) {
  TraceBuilder copy = b;
  const Replay r = replayed(copy, 100);
  REQUIRE(r.calls.size() == 1);
  std::istringstream line(r.calls.front());
  std::string begin;
  std::string duration;
  std::string cpu;
  std::string pid;
  std::string kind;
  Told told;
  line >> begin >> duration >> cpu >> pid >> kind >> told.event >> told.arg >> told.result;
  return told;
}

std::string hex(EventNum event) { return fmt::format("{:x}", event); }

TEST_CASE("a call, its argument and its result are whole where an entry before them says so") {
  for (const std::uint32_t number :
       {0u, 510u, 511u, 600u, 1022u, 1023u, 5000u, 0x4000'0000u, 0x7fff'ffffu}) {
    TraceBuilder b;
    b.cpu(0, 10);
    wide(b, 10, {.number = number, .argument = kAddress, .result = {}}).at(10, kUnknown, 0x5678);
    wide(b, 20, {.number = number, .argument = {}, .result = kLong}).at(20, kUnknown | kReturn, 5);
    const Told call = only_call(b);
    CHECK(call.event == hex(numbered_call_event(number)));
    CHECK(call.arg == std::to_string(kAddress));
    CHECK(call.result == std::to_string(kLong));
  }
}

TEST_CASE("a folded call is whole, too") {
  TraceBuilder b;
  b.cpu(0, 10);
  wide(b, 10, {.number = 4711, .argument = kAddress, .result = 65536})
      .folded(10, kUnknown, 0x78, 4, 0);
  const Told call = only_call(b);
  CHECK(call.event == hex(syscall_event(4711)));
  CHECK(call.arg == std::to_string(kAddress));
  CHECK(call.result == "65536");
}

TEST_CASE("numbers that no entry widens are the low bits, extended by their sign") {
  TraceBuilder b;
  b.cpu(0, 10).at(10, kRead, 3).at(20, kRead | kReturn, 0xfff5);
  const Told call = only_call(b);
  CHECK(call.arg == "3");
  CHECK(call.result == "-11");
}

TEST_CASE("whole numbers are those of the next entry at their time, and of system calls alone") {
  SECTION("the call they were written for is not there") {
    TraceBuilder b;
    b.cpu(0, 10);
    wide(b, 10, {.number = 5000, .argument = kAddress, .result = {}});
    b.at(12, kRead, 3).at(20, kRead | kReturn, 7);
    CHECK(only_call(b).arg == "3");
    CHECK(only_call(b).event == hex(kRead));
  }
  SECTION("a number that contradicts the entry") {
    TraceBuilder b;
    b.cpu(0, 10);
    wide(b, 10, {.number = 5000, .argument = {}, .result = {}}).at(10, kRead, 3);
    b.at(20, kRead | kReturn, 7);
    CHECK(only_call(b).event == hex(kRead));
  }
  SECTION("another CPU") {
    TraceBuilder b;
    b.cpu(1, 20);
    wide(b, 10, {.number = {}, .argument = kAddress, .result = {}});
    b.cpu(0, 10).at(10, kRead, 3).at(20, kRead | kReturn, 7);
    CHECK(only_call(b).arg == "3");
  }
  SECTION("an interrupt") {
    TraceBuilder b;
    b.cpu(0, 10);
    wide(b, 10, {.number = {}, .argument = kAddress, .result = {}}).at(10, kTimer, 3);
    b.at(20, kTimer | kReturn, 0);
    CHECK(only_call(b).arg == "3");
  }
}

TEST_CASE("a system call above 1022 has the name that the trace gives it, else its number") {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, kWideSyscall | 5000, "far_call").cpu(0, 10);
  wide(b, 10, {.number = 5000, .argument = {}, .result = {}}).folded(10, kUnknown, 0, 4, 0);
  wide(b, 30, {.number = 5001, .argument = {}, .result = {}}).folded(30, kUnknown, 0, 4, 0);
  const Replay r = replayed(b, 100);
  REQUIRE(r.calls.size() == 2);
  CHECK(r.calls[0].find("\"far_call\"") != std::string::npos);
  CHECK(r.calls[1].find("\"sys#5001\"") != std::string::npos);
}

}  // namespace
}  // namespace kutrace::test
