// SPDX-License-Identifier: BSD-3-Clause
// A small raw trace to standard output. It has something of all that commands ask for: samples,
// requests, marks, a switch between threads, more than one block of a CPU.
//   kutrace-small-trace          two CPUs
//   kutrace-small-trace one      one of everything that is counted
//   kutrace-small-trace partly   the recorder was told to leave something out
//   kutrace-small-trace apart    a call that does not end, and a mark that ends in another thread
//   kutrace-small-trace large    some hundred thousand entries
//   kutrace-small-trace lossy    gaps of a known number of entries and of an unknown one
//   kutrace-small-trace grouped  processes in control groups, of their own and of their parents
//   kutrace-small-trace hostile  names that would break a form that does not quote them
#include <cstdio>
#include <string_view>

#include "format/event_table.h"
#include "format/process_text.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr unsigned kLabelLate = 12 + 40 * (1 + 40 * (20 + 40 * 5));
constexpr unsigned kLabelWork = 23 + 40 * (15 + 40 * (18 + 40 * 11));
constexpr unsigned kLabelWorkEnd = 39 + 40 * kLabelWork;
constexpr EventNum kRead = 0x800;
constexpr EventNum kTimer = 0x5ec;
constexpr Ticks kSampled = 5000;
constexpr std::uint32_t kPacket = 0x04030201;  // the first hash of what commands.py captures
constexpr Ticks kLarge = 8'000'000;

TraceBuilder named() {
  TraceBuilder b;
  b.fact("source", "ebpf").fact("cmdline", "kutrace record -- ./server --password=secret");
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kPID_NAME, 10, "server");
  b.name(kind::kMETHOD_NAME, 77, "sink").name(kind::kIRQ_NAME, 0xec, "local timer");
  b.task(10, 10, 0);
  return b;
}

TraceBuilder one_of_each() {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, ev::kUSERPID, 10).folded(100, kRead, 3, 9, 1);
  return b;
}

TraceBuilder two_cpus() {
  TraceBuilder b = named();
  b.name(kind::kPID_NAME, 20, "client").task(20, 20, 0);
  b.cpu(0, 10, "server").at(10, ev::kUSERPID, 10).at(20, ev::kRPC_REQUEST, 77);
  for (Ticks t = 100; t < 4000; t += 100) b.folded(t, kRead, 3, 9, 1);
  for (const unsigned i : {0U, 1U, 2U}) b.at(4050 + i, ev::kRX_PACKET, kPacket + (i << 24));
  b.at(4100, ev::kRPC_RESPONSE, 77).at(4200, ev::kMARK_B, kLabelLate);
  b.words_at(kSampled, ev::kPC_USER, 0, {0x1234});
  b.new_block(60'000, 10, "server").at(60'000, kTimer).at(60'100, kTimer | ev::kReturnBit);
  b.at(70'000, ev::kUSERPID, 20).at(200'000, ev::kUSERPID, 0);
  b.cpu(1, 20, "client").at(30, ev::kUSERPID, 20).at(65'000, ev::kUSERPID, 0);
  return b;
}

// Without wakeups and system calls, and of one process.
TraceBuilder partly() {
  TraceBuilder b = named();
  b.fact("events", "irqs,softirqs,faults,sched").fact("recorded_threads", "processes 10");
  b.cpu(0, 10, "server").at(10, ev::kUSERPID, 10).at(100, ev::kUSERPID, 0);
  return b.at(200, ev::kUSERPID, 10);
}

TraceBuilder apart() {
  TraceBuilder b = named();
  b.name(kind::kPID_NAME, 20, "client").task(20, 20, 0);
  b.cpu(0, 10, "server").at(10, ev::kUSERPID, 10).at(50, ev::kMARK_B, kLabelWork).at(100, kRead, 3);
  b.cpu(1, 20, "client").at(30, ev::kUSERPID, 20).folded(100, kRead, 3, 9, 1);
  return b.folded(200, kRead, 3, 9, 1).at(300, ev::kMARK_B, kLabelWorkEnd);
}

TraceBuilder large() {
  TraceBuilder b = named();
  for (CpuId cpu = 0; cpu < 4; ++cpu) {
    const Pid server = 10 + static_cast<Pid>(cpu);
    const auto arg = static_cast<std::uint32_t>(server);
    b.cpu(cpu, server, "server").at(10, ev::kUSERPID, arg).words_at(50, ev::kPC_USER, 0, {0x1234});
    for (const unsigned i : {0U, 1U, 2U}) b.at(60 + i, ev::kRX_PACKET, kPacket + (i << 24));
    for (Ticks t = 100; t < kLarge; t += 100) {
      if (t % 800'000 == 0) b.new_block(t, server, "server");
      b.folded(t, kRead, static_cast<std::uint32_t>(t / 100 % 7), 9, 1);
    }
  }
  return b;
}

TraceBuilder lossy() {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, ev::kUSERPID, 10).folded(100, kRead, 3, 9, 1);
  b.words_at(600, kind::kLOSS, KUTRACE_LOSS_BUFFER_FULL << 24 | 0, {kStart + 200, kStart + 600, 7});
  b.folded(700, kRead, 3, 9, 1).at(800, kRead);
  b.new_block(1000, 10, "server").folded(1100, kRead, 3, 9, 1).lose_block();
  b.new_block(3000, 10, "server").folded(3100, kRead, 3, 9, 1).at(3200, kRead);
  b.words_at(4600, kind::kLOSS, KUTRACE_LOSS_BUFFER_FULL << 24 | 0,
             {kStart + 4000, kStart + 4600, 5});
  b.cpu(1, 20, "client").at(30, ev::kUSERPID, 20).folded(100, kRead, 3, 9, 1);
  return b;
}

// A shell that only sleeps, two programs that it starts, of which one starts another; a program in
// the root; one that moves from one group to another.
TraceBuilder grouped() {
  TraceBuilder b = named();
  const auto in_group = [&b](Pid process, Ticks at, const char* path) {
    b.text(kind::kPROCESS, record_text(CgroupRecord{process, kStart + at, path}));
  };
  b.fact("cgroups", "on").name(kind::kPID_NAME, 50, "shell").name(kind::kPID_NAME, 20, "client");
  b.name(kind::kPID_NAME, 30, "child").name(kind::kPID_NAME, 40, "rooted");
  b.name(kind::kPID_NAME, 60, "mover").child(50, 1).child(10, 50).child(20, 50);
  b.child(30, 10).child(40, 1).child(60, 1);
  in_group(50, 1, "/box");
  in_group(60, 1, "/first");
  in_group(20, 9000, "/other");
  in_group(60, 9000, "/second");
  Ticks at = 10;
  b.cpu(0);
  for (const Pid pid : {10, 20, 30, 40, 60}) {
    b.at(at, ev::kUSERPID, static_cast<std::uint32_t>(pid)).folded(at + 50, kRead, 3, 9, 1);
    at += 1000;
  }
  return b.at(at, ev::kUSERPID, 0);
}

// Quotes, ends of lines, ends of comments, bytes that are no UTF-8, and nothing at all.
TraceBuilder hostile() {
  TraceBuilder b;
  b.fact("uname", "Li\"nux \\ho\nst */ 6.1 #1 \x80 x86_64").fact("machine.0", "a\"; }; env {");
  b.name(kind::kHOST_NAME, 0, "ho\"st\\\n");
  b.name(kind::kSYSCALL_NAME, 0, "re\"a\nd\\").name(kind::kSYSCALL_NAME, 1, "\xff\xfe{ id = 1; };");
  b.name(kind::kSYSCALL_NAME, 2, "").name(kind::kSYSCALL_NAME, 3, "close");
  b.name(kind::kIRQ_NAME, 0x24, "*/ \"d\xc3isk\"").name(kind::kPID_NAME, 10, "a\"},b = \xe2\x82");
  b.name(kind::kPID_NAME, 20, "\xf0\x9f\x90\xa7\xf0\x9f\x90\xa7\xf0\x9f\x90\xa7\xf0\x9f\x90\xa7");
  b.task(10, 10, 0).task(20, 20, 0).cpu(0, 10).at(10, ev::kUSERPID, 10);
  for (EventNum call = 0; call < 4; ++call) b.folded(100 + 50 * Ticks{call}, kRead + call, 7, 9, 1);
  b.at(400, 0x524).at(420, 0x724).at(500, ev::kRUNNABLE, 20).at(600, ev::kUSERPID, 20);
  return b.folded(700, kRead, 7, 9, 1).at(800, ev::kUSERPID, 0);
}

int write(TraceBuilder trace, Ticks stop) {
  const std::vector<std::byte> bytes = trace.bytes(stop);
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 1;
}

}  // namespace
}  // namespace kutrace::test

int main(int argc, char** argv) {
  using namespace kutrace::test;
  const std::string_view which = argc > 1 ? argv[1] : "";
  if (which == "one") return write(one_of_each(), 1000);
  if (which == "partly") return write(partly(), 1000);
  if (which == "apart") return write(apart(), 1000);
  if (which == "lossy") return write(lossy(), 5000);
  if (which == "grouped") return write(grouped(), 9500);
  if (which == "hostile") return write(hostile(), 1000);
  if (which == "large") return write(large(), kLarge);
  return write(two_cpus(), 300'000);
}
