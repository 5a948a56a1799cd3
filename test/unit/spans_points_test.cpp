// SPDX-License-Identifier: BSD-3-Clause
// Idle and its exits, interprocessor interrupts, locks, samples, frequencies, marks, IPC, losses.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr std::uint32_t kDeep = 2u << 16 | 0x20;  // cpuidle state 1

TraceBuilder named() {
  TraceBuilder b;
  b.fact("cstate.0", "POLL,0").fact("cstate.1", "C6,2");
  b.name(kind::kIRQ_NAME, 0xec, "local_timer").name(kind::kIRQ_NAME, 0xfd, "reschedule_ipi");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kSYSCALL_NAME, 0, "read");
  return b;
}

// ---- idle -----------------------------------------------------------------------------------

TEST_CASE("leaving a C-state takes the latency that the recorder stored") {
  TraceBuilder b = named();
  b.cpu(0, 0).at(10, ev::kMWAIT, kDeep).at(1000, kTimer).at(1010, kTimer | kReturn);
  CHECK(replayed(b, 1100).timeline(0) ==
        Lines{"idle 0+160 -idle-", "idle_low 160+13840 -idle-(131104)",
              "c_exit 14000+2000 -c-exit-(131104)", "irq 16000+160 local_timer=0",
              "idle 16160+1440 -idle-"});
}

TEST_CASE("a sleep shorter than the exit latency is all exit") {
  TraceBuilder b = named();
  b.cpu(0, 0).at(10, ev::kMWAIT, kDeep).at(50, kTimer).at(60, kTimer | kReturn);
  CHECK(replayed(b, 70).timeline(0)[1] == "c_exit 160+640 -c-exit-(131104)");
}

TEST_CASE("polling is idle, not low power") {
  TraceBuilder b = named();
  b.cpu(0, 0).at(10, ev::kMWAIT, 1u << 16).at(1000, kTimer).at(1010, kTimer | kReturn);
  CHECK(replayed(b, 1100).timeline(0) ==
        Lines{"idle 0+16000 -idle-", "irq 16000+160 local_timer=0", "idle 16160+1440 -idle-"});
}

TEST_CASE("where an interrupt was sent to a sleeping CPU, its exit is measured") {
  TraceBuilder b = named();
  b.cpu(0, 0).at(10, ev::kMWAIT, kDeep).at(1000, kReschedule).at(1010, kReschedule | kReturn);
  b.cpu(1, 10).at(700, ev::kSEND_IPI, 0);
  const Replay r = replayed(b, 1100);
  CHECK(r.timeline(0)[1] == "idle_low 160+11040 -idle-(131104)");
  CHECK(r.timeline(0)[2] == "c_exit 11200+4800 -c-exit-(131104)");
  CHECK(r.info.counters.of(Counter::kCExitMeasured) == 1);
  const auto arc = std::find_if(r.spans.begin(), r.spans.end(),
                                [](const Span& s) { return s.kind == SpanKind::kIpiArc; });
  REQUIRE(arc != r.spans.end());
  CHECK(arc->cpu == 1);
  CHECK(arc->arg == 0);
  CHECK(arc->start == 700 * 16);
  CHECK(arc->duration == 300 * 16);
}

TEST_CASE("neither a timer nor a softirq answers an interrupt sent to the CPU") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, kTimer).at(20, kTimer | kReturn).at(21, ev::kBottomHalf, 1);
  b.at(30, ev::kBottomHalf | kReturn).cpu(1, 10).at(5, ev::kSEND_IPI, 0);
  CHECK(replayed(b, 40).of_kind(SpanKind::kIpiArc).empty());
}

TEST_CASE("idle longer than 8 seconds is as long as it is") {
  TraceBuilder b = named();
  b.cpu(0, 0).at(10, kTimer).at(20, kTimer | kReturn).at(1'000'000'000, kTimer);
  b.at(1'000'000'010, kTimer | kReturn);
  CHECK(replayed(b, 1'000'000'020).timeline(0)[2] == "idle 320+15999999680 -idle-");
}

// ---- intervals of things --------------------------------------------------------------------

TEST_CASE("a lock is wanted from the first try and held until its release") {
  TraceBuilder b = named();
  b.name(kind::kLOCK_NAME, 0x12345, "mutex");
  b.cpu(0, 10).at(10, ev::kLOCK_TRY, 0x12345).at(15, ev::kLOCK_TRY, 0x12345);
  b.at(30, ev::kLOCK_ACQUIRE, 0x12345).at(70, ev::kLOCK_RELEASE, 0x12345);
  const Replay r = replayed(b, 100);
  CHECK(r.of_kind(SpanKind::kLockWanted) == Lines{"10: lock_wanted 160+320 mutex(74565)"});
  CHECK(r.of_kind(SpanKind::kLockHeld) == Lines{"10: lock_held 480+640 mutex(74565)"});
}

TEST_CASE("a sample covers the time since the one before on its CPU and has its own address") {
  TraceBuilder b = named();
  b.cpu(0, 10).words_at(10, ev::kPC_USER, 3000, {0x401000});
  b.words_at(50, ev::kPC_USER, 3000, {0xffff'ffff'8100'0000});
  const Replay r = replayed(b, 100);
  std::vector<Span> samples;
  for (const Span& span : r.spans) {
    if (span.kind == SpanKind::kSample) samples.push_back(span);
  }
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].value == 0x401000);
  CHECK(samples[0].event == ev::kPC_USER);
  CHECK(samples[0].duration == 0);
  CHECK(samples[1].event == ev::kPC_KERNEL);
  CHECK(samples[1].start == 160);
  CHECK(samples[1].duration == 640);
}

TEST_CASE("a frequency sample speaks of the time before it, a notice of the time after") {
  TraceBuilder sampled = named();
  sampled.cpu(0, 10).at(10, ev::kFREQUENCY, 800).at(30, ev::kFREQUENCY, 3600);
  CHECK(replayed(sampled, 50).of_kind(SpanKind::kFrequency).front() ==
        "-1: frequency 160+320 -freq-(3600)");
  TraceBuilder notified = named();
  notified.cpu(0, 10).at(10, ev::kFREQUENCY_NOTICE, 800).at(30, ev::kFREQUENCY_NOTICE, 3600);
  CHECK(replayed(notified, 50).of_kind(SpanKind::kFrequency).front() ==
        "-1: frequency 160+320 -freq-(800)");
}

TEST_CASE("marks show labels, and numbers in full") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(10, ev::kMARK_A, 8 + 40 * 9).at(20, ev::kMARK_D, 123456);
  CHECK(replayed(b, 30).of_kind(SpanKind::kMark) ==
        Lines{"10: mark 160+0 mark_a=hi(368)", "10: mark 320+0 mark_d(123456)"});
}

TEST_CASE("all four marks, with closing labels and numbers of 32 bits") {
  TraceBuilder b = named();
  // "a" 1, "/a" 39 + 40 * 1, "0-." 27 + 40 * 37 + 1600 * 38
  b.cpu(0, 10).at(10, ev::kMARK_A, 1).at(20, ev::kMARK_B, 79).at(30, ev::kMARK_C, 62307);
  b.at(40, ev::kMARK_D, 0xffffffff);
  const Replay r = replayed(b, 50);
  CHECK(r.of_kind(SpanKind::kMark) ==
        Lines{"10: mark 160+0 mark_a=a(1)", "10: mark 320+0 mark_b=/a(79)",
              "10: mark 480+0 mark_c=0-.(62307)", "10: mark 640+0 mark_d(4294967295)"});
  CHECK(r.timeline(0) == Lines{"user 0+800 server"});
}

//   CPU 1, thread 20:  futex | store to CPU 0
//   CPU 0:             asleep ............. | exit | mon_ex, timer: wakes 30
TEST_CASE(
    "a store to what a sleeping CPU watches is an arc to its exit and the reason of its wakeups") {
  TraceBuilder b = named();
  b.name(kind::kSYSCALL_NAME, 202, "futex").name(kind::kIRQ_NAME, 0xfb, "call_function");
  b.cpu(0, 30).at(1, 0x801).at(2, ev::kUSERPID, 0).at(10, ev::kMWAIT, kDeep);
  b.at(1000, ev::kMONITOR_EXIT).at(1010, 0x5fb).at(1020, ev::kRUNNABLE, 30);
  b.at(1030, 0x7fb).at(1100, ev::kUSERPID, 30);
  b.cpu(1, 20).at(600, 0x8ca).at(700, ev::kMONITOR_STORE, 0).at(710, 0xaca);
  const Replay r = replayed(b, 1200);
  CHECK(r.timeline(0)[4] == "c_exit 11200+4800 -c-exit-(131104)");
  CHECK(r.of_kind(SpanKind::kIpiArc) == Lines{"-1: ipi 11200+4800 -ipi-"});
  CHECK(r.of_kind(SpanKind::kWait).front() == "30: wait 32+16288 wait_lock");
}

TEST_CASE("what runs between RPC points belongs to the RPC") {
  TraceBuilder b = named();
  b.name(kind::kMETHOD_NAME, 5, "get").cpu(0, 10).at(10, ev::kRPC_REQUEST, 40u << 16 | 5);
  b.at(20, kRead).at(30, kRead | kReturn, 0).at(40, ev::kRPC_MIDDLE, 0);
  const Replay r = replayed(b, 50);
  for (const Span& span : r.spans) {
    if (is_execution(span.kind)) CHECK(span.rpc == (span.start >= 160 && span.start < 640 ? 5 : 0));
  }
}

// ---- losses ---------------------------------------------------------------------------------

TEST_CASE("a loss declared in block 0 takes its time from the CPU it names") {
  TraceBuilder b = named();
  b.words_entry(kind::kLOSS, KUTRACE_LOSS_LIMIT << 24 | 1, {kStart + 40, kStart + 60, 7});
  b.cpu(0, 10).at(10, kRead).cpu(1, 20).at(10, kRead).at(80, kRead | kReturn);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0).size() == 2);
  CHECK(r.timeline(1)[2] == "loss 640+320 -loss-(5)");
  CHECK(r.info.losses.size() == 1);
}

TEST_CASE("entries that were lost at one moment are told, and cut no span") {
  TraceBuilder b = named();
  b.words_entry(kind::kLOSS, KUTRACE_LOSS_MISSED_RUN << 24 | 0, {kStart, kStart, 5});
  b.words_entry(kind::kLOSS, KUTRACE_LOSS_MISSED_RUN << 24 | 0, {kStart + 40, kStart + 40, 6});
  b.words_entry(kind::kLOSS, KUTRACE_LOSS_MISSED_RUN << 24 | 0, {kStart + 101, kStart + 102, 7});
  b.words_entry(kind::kLOSS, KUTRACE_LOSS_DAMAGED << 24 | 0,
                {kStart + 50, kStart + 50, KUTRACE_LOSS_UNKNOWN_COUNT});
  b.cpu(0, 10).at(10, kRead).at(80, kRead | kReturn);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) ==
        Lines{"user 0+160 server", "syscall 160+1120 read=0", "user 1280+320 server"});
  std::vector<std::array<std::uint64_t, 3>> losses;
  for (const LossRecord& loss : r.info.losses) {
    losses.push_back({static_cast<std::uint64_t>(loss.begin), static_cast<std::uint64_t>(loss.end),
                      loss.entries});
  }
  CHECK(losses ==
        std::vector<std::array<std::uint64_t, 3>>{{0, 0, 5}, {640, 640, 6}, {1600, 1600, 7}});
}

TEST_CASE("losses declared in any order are applied in the order of their time") {
  TraceBuilder b = named();
  for (const std::uint64_t from : {60u, 20u, 40u})
    b.words_entry(kind::kLOSS, KUTRACE_LOSS_DISK << 24 | 0, {kStart + from, kStart + from + 10, 1});
  b.cpu(0, 10).at(10, kRead);
  const Replay r = replayed(b, 100);
  std::vector<Ns> begins;
  for (const LossRecord& loss : r.info.losses) begins.push_back(loss.begin);
  CHECK(begins == std::vector<Ns>{320, 640, 960});
}

TEST_CASE("a loss of the future, of no CPU or that ends before it begins is damage") {
  const auto damage = [](std::uint32_t cpu, std::uint64_t begin, std::uint64_t end) {
    TraceBuilder b = named();
    b.words_entry(kind::kLOSS, KUTRACE_LOSS_DISK << 24 | cpu, {begin, end, 1});
    b.cpu(0, 10).at(10, kRead);
    const Replay r = replayed(b, 100);
    CHECK(r.info.losses.empty());
    return r.info.counters.named(Severity::kDamage).at("loss_record_unusable");
  };
  CHECK(damage(0, kStart + 50, kStart + 40) == 1);
  CHECK(damage(9, kStart + 50, kStart + 60) == 1);
  CHECK(damage(0, kStart + 50, kStart + 90'000'000'000) == 1);
  CHECK(damage(0, kStart + 50, ~std::uint64_t{0}) == 1);
}

TEST_CASE("a CPU that was online but left no block is lost") {
  TraceBuilder b = named();
  b.fact("cpus_online", "0-1").cpu(0, 10).at(10, kRead);
  CHECK(replayed(b, 100).timeline(1) == Lines{"loss 0+1600 -loss-(6)"});
}

TEST_CASE("a wrapped recording declares what its late CPUs had overwritten") {
  TraceBuilder b = named();
  b.flags = KUTRACE_FLAG_WRAP;
  b.cpu(0, 10).at(5000, kRead).cpu(1, 10).at(7000, kRead);
  const Replay r = replayed(b, 9000);
  CHECK(r.info.begin == 80'000);
  CHECK(r.timeline(1)[0] == "loss 80000+32000 -loss-(4)");
}

TEST_CASE("a call whose begin was overwritten lasts from where the recording begins") {
  TraceBuilder b = named();
  b.flags = KUTRACE_FLAG_WRAP;
  b.fact("source", "test").name(kind::kPID_NAME, 11, "writer");
  b.name(kind::kSYSCALL_NAME, 1, "write");
  constexpr EventNum kWrite = syscall_event(1);
  b.cpu(0, 11).at(5000, kRead).at(5010, kRead | kReturn, 1).at(6000, kWrite);
  b.at(6010, ev::kRUNNABLE, 10).at(6020, kWrite | kReturn, 1).at(6030, ev::kUSERPID, 10);
  b.at(6040, kRead | kReturn, 7).at(6050, ev::kUSERPID, 11);
  const Replay r = replayed(b, 7000);
  const auto read = std::ranges::find_if(
      r.system_calls, [](const std::string& line) { return line.contains("= 7"); });
  REQUIRE(read != r.system_calls.end());
  CAPTURE(r.system_calls);
  CHECK(read->contains("<0.000016640>"));
  CHECK(r.of_kind(SpanKind::kWait).front() == "10: wait 80000+16160 wait_pipe");
}

}  // namespace
}  // namespace kutrace::test
