// SPDX-License-Identifier: BSD-3-Clause
// Where KUtrace's own tools are wrong or at an end (doc/spans.md, "Differences from upstream").
#include <catch2/catch.hpp>
#include <cstring>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

TraceBuilder named() {
  TraceBuilder b(TraceBuilder::Style::kUpstream);
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  return b;
}

Replay replayed(std::vector<std::byte> bytes) {
  auto file = RawFile::open(MappedFile::from_bytes(std::move(bytes), "test"));
  REQUIRE(file);
  Replay r;
  replay(*file, r);
  return r;
}

// The same file with all counters and all wall clocks moved.
std::vector<std::byte> moved(std::vector<std::byte> bytes, std::uint64_t ticks,
                             std::uint64_t usec) {
  const auto add = [&](std::size_t word, std::uint64_t amount) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + 8 * word, sizeof value);
    value += amount;
    std::memcpy(bytes.data() + 8 * word, &value, sizeof value);
  };
  for (std::size_t word = 0; word < bytes.size() / 8; word += KUTRACE_BLOCK_WORDS) {
    add(word, ticks);
    add(word + 1, usec);
  }
  add(2, ticks);
  add(4, ticks);
  add(3, usec);
  add(5, usec);
  return bytes;
}

TEST_CASE("times do not depend on the minute in which a recording begins") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(625'000, kRead).new_block(1'250'000, 10).at(1'250'000, kRead | kReturn, 1);
  const auto bytes = b.bytes(2'500'000);
  const Replay plain = replayed(bytes);
  // kStartUsec is at second 20: the minute turns within the first block, between blocks, never.
  for (const std::uint64_t usec : {39'995'000u, 39'985'000u, 40'000'000u}) {
    const Replay r = replayed(moved(bytes, 0, usec));
    CHECK(r.timeline(0) == plain.timeline(0));
    CHECK(r.info.wall_usec == kStartUsec + usec);
  }
}

TEST_CASE("counters of a machine that has been up for years are as good as others") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(625'000, kRead).at(1'250'000, kRead | kReturn, 1);
  const auto bytes = b.bytes(2'500'000);
  const std::uint64_t years = std::uint64_t{1} << 54;  // nine of them, at 62.5 MHz
  CHECK(replayed(moved(bytes, years, 0)).timeline(0) == replayed(bytes).timeline(0));
}

TEST_CASE("a recording may last longer than 999 seconds") {
  TraceBuilder b = named();
  constexpr Ticks kHour = 3600 * Ticks{62'500'000};
  b.cpu(0, 10).at(125, kRead).new_block(kHour, 10).at(kHour, kRead | kReturn, 1);
  CHECK(replayed(b.bytes(kHour + 125)).timeline(0) == Lines{"user 0+2000 server",
                                                            "syscall 2000+3599999998000 read=1",
                                                            "user 3600000000000+2000 server"});
}

TEST_CASE("an interrupt inside a softirq leaves the softirq what it is") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(125, ev::kBottomHalf, 3).at(250, kTimer).at(375, kTimer | kReturn);
  b.at(500, ev::kBottomHalf | kReturn);
  CHECK(replayed(b.bytes(625)).timeline(0) ==
        Lines{"user 0+2000 server", "softirq 2000+2000 BH:rx(3)", "irq 4000+2000 local_timer=0",
              "softirq 6000+2000 BH:rx(3)=0", "user 8000+2000 server"});
}

TEST_CASE("an interrupt inside the scheduler leaves the scheduler running") {
  for (const EventNum scheduler : {0xdffu, 0x9ffu}) {
    TraceBuilder b = named();
    b.cpu(0, 10).at(125, scheduler).at(250, kTimer).at(375, kTimer | kReturn);
    b.at(500, scheduler | kReturn);
    CHECK(replayed(b.bytes(625)).timeline(0) ==
          Lines{"user 0+2000 server", "sched 2000+2000 -sched-", "irq 4000+2000 local_timer=0",
                "sched 6000+2000 -sched-=0", "user 8000+2000 server"});
  }
}

TEST_CASE("a result is shown on the call that returned it and on nothing after it") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(125, kRead).at(250, kTimer).at(375, kTimer | kReturn, 9);
  b.at(500, kRead | kReturn, 7);
  CHECK(replayed(b.bytes(625)).timeline(0) ==
        Lines{"user 0+2000 server", "syscall 2000+2000 read", "irq 4000+2000 local_timer=9",
              "syscall 6000+2000 read=7", "user 8000+2000 server"});
}

TEST_CASE("idle that a store to a monitored place ended is plain idle again") {
  TraceBuilder b = named();
  b.cpu(0, 0).at(125, ev::kMWAIT, 0x20).at(12'500, ev::kMONITOR_EXIT, 0).at(25'000, kTimer);
  CHECK(replayed(b.bytes(37'500)).timeline(0) ==
        Lines{"idle 0+2000 -idle-", "idle_low 2000+184700 -idle-(32)",
              "c_exit 186700+13300 -c-exit-(32)", "idle 200000+200000 -idle-",
              "irq 400000+200000 local_timer"});
}

TEST_CASE("without facts of the recorder a C-state's exit is that of its CPU family's table") {
  const auto exit_of = [](const char* model, std::uint32_t hint) {
    TraceBuilder b = named();
    b.name(kind::kCPU_MODEL, 0, model).cpu(0, 0).at(125, ev::kMWAIT, hint);
    b.at(1'250'000, kTimer).at(1'250'010, kTimer | kReturn);
    for (const Span& span : replayed(b.bytes(1'250'125)).spans) {
      if (span.kind == SpanKind::kCExit) return span.duration;
    }
    return Ns{0};
  };
  CHECK(exit_of("Intel(R) Core(TM) i3-7100 CPU", 0x10) == 7'000);
  CHECK(exit_of("Intel(R) Celeron(R) J4005 CPU", 0x10) == 25'500);
  CHECK(exit_of("some other CPU", 0x00) == 200);
  CHECK(exit_of("some other CPU", 0x20) == 13'300);
  CHECK(exit_of("some other CPU", 0x40) == 30'000);
  CHECK(exit_of("AMD Ryzen", 0xff) == 13'300);
  CHECK(exit_of("some other CPU", 0x100) == 25'500);
  CHECK(exit_of("Intel(R) Core(TM) i3-7100 CPU", 0x100) == 25'500);
}

TEST_CASE("a name that holds its own number, or a packet's, changes no other name") {
  TraceBuilder b = named();
  b.name(kind::kMETHOD_NAME, 5, "get.5").name(kind::kPACKET_NAME, 0x800, "packet");
  b.cpu(0, 10).at(125, ev::kRPC_REQUEST, 5).at(250, kRead).at(375, kRead | kReturn, 0);
  const Replay r = replayed(b.bytes(500));
  CHECK(r.timeline(0)[2] == "syscall 4000+2000 read=0");
  CHECK(r.of_kind(SpanKind::kPoint) == Lines{"10: point 2000+0 get.5.5(5)"});
}

TEST_CASE("every name of a timer tells of a timer, and only a timer's does") {
  const auto reason = [](const char* timer) {
    TraceBuilder b(TraceBuilder::Style::kUpstream);
    b.name(kind::kIRQ_NAME, 0xec, timer).cpu(0, 10).at(125, kRead).at(250, ev::kUSERPID, 20);
    b.at(375, kTimer).at(500, ev::kRUNNABLE, 10).at(625, kTimer | kReturn);
    b.at(750, ev::kUSERPID, 10);
    return replayed(b.bytes(875)).of_kind(SpanKind::kWait).front();
  };
  for (const char* timer : {"local_timer", "local_timer_vector", "arch_timer", "riscv-timer",
                            "timer", "hyperv_stimer0"}) {
    CHECK(reason(timer) == "10: wait 4000+4000 wait_time");
  }
  CHECK(reason("acpi") == "10: wait 4000+4000 wait_unk");
}

TEST_CASE("the frequency in a block's header holds until a notice") {
  TraceBuilder b(TraceBuilder::Style::kUpstream);
  b.cpu(0, 10).at(125, kTimer).at(250, ev::kFREQUENCY_NOTICE, 1500);
  auto bytes = b.bytes(500);
  const std::uint64_t thread_and_mhz = std::uint64_t{600} << 32 | 10;
  std::memcpy(bytes.data() + 8 * (KUTRACE_FIRST_HEADER_WORDS - 4), &thread_and_mhz, 8);
  CHECK(replayed(std::move(bytes)).of_kind(SpanKind::kFrequency) ==
        Lines{"-1: frequency 2000+2000 -freq-(600)", "-1: frequency 4000+4000 -freq-(1500)"});
}

TEST_CASE("a frequency notice on a Raspberry Pi speaks of every CPU, until the end") {
  TraceBuilder b = named();
  b.name(kind::kCPU_MODEL, 0, "Raspberry Pi 4 Model B").cpu(0, 10).at(125, kTimer);
  b.at(250, ev::kFREQUENCY_NOTICE, 600).at(375, ev::kFREQUENCY_NOTICE, 1500);
  b.cpu(1, 20).at(130, kTimer);
  const Lines seen = replayed(b.bytes(500)).of_kind(SpanKind::kFrequency);
  CHECK(seen == Lines{"-1: frequency 4000+2000 -freq-(600)", "-1: frequency 4000+2000 -freq-(600)",
                      "-1: frequency 6000+2000 -freq-(1500)",
                      "-1: frequency 6000+2000 -freq-(1500)"});
}

}  // namespace
}  // namespace kutrace::test
