// SPDX-License-Identifier: BSD-3-Clause
// Entries to the timeline of a CPU: nesting, switches, repairs, loss.
#include <catch2/catch.hpp>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

TraceBuilder named() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kIRQ_NAME, 0xec, "local_timer").name(kind::kTRAP_NAME, 14, "page_fault");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  return b;
}

Lines timeline_of(TraceBuilder& b, Ticks stop, CpuId cpu = 0) {
  return replayed(b, stop).timeline(cpu);
}

TEST_CASE("a system call interrupted by a timer nests and resumes") {
  //   user |read    |timer|read |user
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(0, ev::kUSERPID, 10).at(10, kRead, 3).at(20, kTimer);
  b.at(25, kTimer | kReturn).at(40, kRead | kReturn, 7);
  CHECK(timeline_of(b, 100) == Lines{"user 0+160 server", "syscall 160+160 read(3)",
                                     "irq 320+80 local_timer=0", "syscall 400+240 read(3)=7",
                                     "user 640+960 server"});
}

TEST_CASE("a folded call is a span of its own inside user code") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").folded(10, kRead, 4, 5, -11);
  CHECK(timeline_of(b, 20) ==
        Lines{"user 0+160 server", "syscall 160+80 read(4)=-11", "user 240+80 server"});
}

TEST_CASE("a blocked call resumes on another CPU") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kRead, 3).at(20, ev::kUSERPID, 0);
  b.cpu(1, 0).at(0, ev::kUSERPID, 0).at(50, ev::kUSERPID, 10).at(60, kRead | kReturn, 1);
  const Replay r = replayed(b, 100);
  CHECK(r.timeline(0) ==
        Lines{"user 0+160 server", "syscall 160+160 read(3)", "idle 320+1280 -idle-"});
  CHECK(r.timeline(1) ==
        Lines{"idle 0+800 -idle-", "syscall 800+160 read(3)=1", "user 960+640 server"});
}

TEST_CASE("a return whose call was never seen turns the open span into that call") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(30, kWrite | kReturn, 9);
  const Replay r = replayed(b, 50);
  CHECK(r.timeline(0) == Lines{"syscall 0+480 write=9", "user 480+320 server"});
  CHECK(r.info.counters.named(Severity::kRepair).at("began_before_start") == 1);
}

TEST_CASE("page faults that are taken again end where the next one begins") {
  for (const bool in_call : {false, true}) {
    TraceBuilder b = named();
    b.cpu(0, 10, "server");
    if (in_call) b.at(5, kWrite);
    b.at(10, kFault).at(20, kFault).at(30, kFault).at(40, kFault | kReturn);
    if (in_call) b.at(45, kWrite | kReturn, 3);
    const Replay r = replayed(b, 50);
    CAPTURE(in_call);
    CHECK(r.info.counters.named(Severity::kRepair) ==
          std::map<std::string, std::uint64_t>{{"fault_failed", 2}});
  }
}

TEST_CASE("only what a thread shows first can have begun before the recording") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(5, kWrite).at(8, kWrite | kReturn).at(10, kRead | kReturn);
  b.at(20, ev::kUSERPID, 20).at(25, kFault | kReturn).at(30, kRead | kReturn);
  b.at(40, ev::kUSERPID, 10).at(45, kRead | kReturn);
  const Replay r = replayed(b, 50);
  CHECK(r.info.counters.named(Severity::kRepair) == Counters::Named{{"began_before_start", 1}});
  CHECK(r.info.counters.named(Severity::kNote) == Counters::Named{{"call_not_reported", 3}});
}

// As seccomp refuses it: with an error, or with a signal.
TEST_CASE("a system call whose begin was not reported has no duration, unless entries are lost") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(5, kWrite).at(8, kWrite | kReturn);
  b.at(20, kRead | kReturn, 5).at(40, kWrite | kReturn, 1);
  b.new_block(50, 10, "server");
  b.words_at(50, kind::kLOSS, KUTRACE_LOSS_BUFFER_FULL << KUTRACE_LOSS_REASON_SHIFT,
             {kStart + 45, kStart + 50, 9});
  b.at(50, ev::kUSERPID, 10).at(55, kRead | kReturn);
  const Replay r = replayed(b, 60);
  CHECK(r.timeline(0) == Lines{"user 0+80 server", "syscall 80+48 write=0", "user 128+192 server",
                               "user 320+320 server", "user 640+80 server", "loss 720+80 -loss-(1)",
                               "syscall 800+80 read=0", "user 880+80 server"});
  CHECK(r.calls == Lines{R"(80 48 0 10 syscall 801 0 0 48 48 1 1 0 "write")",
                         R"(320 0 0 10 syscall 800 0 5 0 0 0 2 0 "read" begin=inferred)",
                         R"(640 0 0 10 syscall 801 0 - 0 0 0 3 0 "write" begin=inferred)",
                         R"(800 80 0 10 syscall 800 0 0 80 80 1 4 0 "read" begin=inferred)"});
  CHECK(r.info.counters.named(Severity::kNote) == Counters::Named{{"call_not_reported", 2}});
  CHECK(r.info.counters.named(Severity::kRepair) == Counters::Named{{"return_without_call", 1}});
}

TEST_CASE("a call whose return was never seen ends where the next one begins") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kRead).at(30, kWrite).at(40, kWrite | kReturn, 2);
  const Replay r = replayed(b, 50);
  CHECK(r.timeline(0) == Lines{"user 0+160 server", "syscall 160+320 read",
                               "syscall 480+160 write=2", "user 640+160 server"});
  CHECK(r.info.counters.named(Severity::kRepair).at("missing_return") == 1);
}

TEST_CASE("an interrupt whose return was never seen ends where its CPU switches") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kTimer).at(30, ev::kUSERPID, 20).at(40, ev::kUSERPID, 10);
  const Replay r = replayed(b, 50);
  CHECK(r.timeline(0) == Lines{"user 0+160 server", "irq 160+320 local_timer",
                               "user 480+160 client", "user 640+160 server"});
  CHECK(r.info.counters.named(Severity::kRepair).at("missing_return") == 1);
}

TEST_CASE("softirqs are told apart and a fault inside one nests") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, ev::kBottomHalf, 1).at(20, ev::kPageFault);
  b.at(30, ev::kPageFault | kReturn).at(40, ev::kBottomHalf | kReturn, 1);
  CHECK(timeline_of(b, 50) == Lines{"user 0+160 server", "softirq 160+160 BH:timer(1)",
                                    "fault 320+160 page_fault=0", "softirq 480+160 BH:timer(1)=1",
                                    "user 640+160 server"});
}

TEST_CASE("a return without a usable number ends the system call on the stack") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kRead).at(20, 0xfff, 0);
  const Replay r = replayed(b, 30);
  CHECK(r.timeline(0) ==
        Lines{"user 0+160 server", "syscall 160+160 read=0", "user 320+160 server"});
  CHECK(r.info.counters.named(Severity::kRepair).at("return_number_lost") == 1);
}

// The kernel leaves -1 behind both, and recorders call that rt_sigreturn.
TEST_CASE("a call that has no number returns under that of sigreturn and keeps its name") {
  constexpr EventNum kSigreturn = 0x80f;
  TraceBuilder b = named();
  b.name(kind::kSYSCALL_NAME, 0x5fe, "unknown_call").name(kind::kSYSCALL_NAME, 15, "rt_sigreturn");
  b.cpu(0, 10, "server").at(10, KUTRACE_UNKNOWN_CALL).at(20, kSigreturn | kReturn, 0);
  const Replay r = replayed(b, 30);
  CHECK(r.timeline(0) ==
        Lines{"user 0+160 server", "syscall 160+160 unknown_call=0", "user 320+160 server"});
  CHECK(r.info.counters.named(Severity::kRepair).at("return_number_lost") == 1);
}

TEST_CASE("the call of a probe of a program's function ends where a signal's return does") {
  constexpr EventNum kProbe = 0x800 + 335;
  constexpr EventNum kSigreturn = 0x80f;
  TraceBuilder b = named();
  b.name(kind::kSYSCALL_NAME, 335, "uretprobe").name(kind::kSYSCALL_NAME, 15, "rt_sigreturn");
  b.cpu(0, 10, "server").at(10, kProbe, 1).at(20, kSigreturn | kReturn, 7);
  b.at(30, kSigreturn).at(40, kSigreturn | kReturn, 0);
  const Replay r = replayed(b, 50);
  CHECK(r.timeline(0) == Lines{"user 0+160 server", "syscall 160+160 uretprobe(1)=7",
                               "user 320+160 server", "syscall 480+160 rt_sigreturn=0",
                               "user 640+160 server"});
  CHECK(r.info.counters.named(Severity::kRepair).empty());
}

TEST_CASE("execve returns by the number that it has for the program that it started") {
  constexpr EventNum kExec = 0x800 + 59;
  constexpr EventNum kExec32 = KUTRACE_SYSCALL32_EVENT + 11;
  for (const bool to_32 : {false, true}) {
    TraceBuilder b = named();
    b.name(kind::kSYSCALL_NAME, 59, "execve").name(kind::kSYSCALL32_NAME, 11, "execve");
    b.cpu(0, 10, "server").at(10, to_32 ? kExec : kExec32);
    b.at(20, (to_32 ? kExec32 : kExec) | kReturn, 0);
    const Replay r = replayed(b, 30);
    CHECK(r.timeline(0) ==
          Lines{"user 0+160 server", "syscall 160+160 execve=0", "user 320+160 server"});
    CHECK(r.info.counters.named(Severity::kRepair).empty());
  }
}

TEST_CASE("a missing block is loss, not the state before it") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kRead).lose_block();
  b.new_block(100, 20, "client").at(110, kWrite).at(120, kWrite | kReturn, 1);
  const Replay r = replayed(b, 130);
  CHECK(r.timeline(0) == Lines{"user 0+160 server", "loss 160+1440 -loss-(6)",
                               "user 1600+160 client", "syscall 1760+160 write=1",
                               "user 1920+160 client"});
  REQUIRE(r.info.losses.size() == 1);
  CHECK(r.info.losses[0].reason == KUTRACE_LOSS_DAMAGED);
}

TEST_CASE("a loss record says when, why and how much") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kRead).new_block(100, 20, "client");
  b.words_at(100, kind::kLOSS, KUTRACE_LOSS_BUFFER_FULL << 24 | 0,
             {kStart + 50, kStart + 100, 1234});
  b.at(101, ev::kUSERPID, 20).at(110, kWrite);
  const Replay r = replayed(b, 120);
  CHECK(r.timeline(0) == Lines{"user 0+160 server", "syscall 160+640 read",
                               "loss 800+800 -loss-(1)", "user 1600+160 client",
                               "syscall 1760+160 write"});
  REQUIRE(r.info.losses.size() == 1);
  CHECK(r.info.losses[0].entries == 1234);
}

TEST_CASE("a trace without its end declares the rest of each CPU lost") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kRead).at(90, kRead | kReturn, 0);
  b.cpu(1, 0).at(0, ev::kUSERPID, 0).at(20, kTimer).at(21, kTimer | kReturn);
  auto bytes = b.bytes(100);
  bytes.resize(bytes.size() - 8);
  auto file = RawFile::open(MappedFile::from_bytes(std::move(bytes), "cut"));
  REQUIRE(file);
  Replay r;
  replay(*file, r);
  CHECK(r.timeline(1).back() == "loss 336+1264 -loss-(6)");
  CHECK(r.info.counters.named(Severity::kDamage).contains("file_cut"));
}

TEST_CASE("a thread that resumes and makes a new call had left the old one") {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kRead).at(20, ev::kUSERPID, 20).at(30, ev::kUSERPID, 10);
  b.at(40, kWrite).at(50, kWrite | kReturn, 1);
  const Replay r = replayed(b, 60);
  CHECK(r.timeline(0) == Lines{"user 0+160 server", "syscall 160+160 read", "user 320+160 client",
                               "user 480+160 server", "syscall 640+160 write=1",
                               "user 800+160 server"});
  CHECK(r.info.counters.named(Severity::kRepair).at("resumed_in_user") == 1);
}

}  // namespace
}  // namespace kutrace::test
