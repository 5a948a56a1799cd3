// SPDX-License-Identifier: BSD-3-Clause
// One trace per subject, each small enough to be read beside its expected text.
#include "golden/golden_traces.h"

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/trace_builder.h"

namespace kutrace::test {

namespace {

TraceBuilder named(TraceBuilder::Style style = TraceBuilder::Style::kOwn) {
  TraceBuilder b(style);
  b.name(kind::kHOST_NAME, 0, "golden").name(kind::kCPU_MODEL, 0, "Some CPU");
  b.name(kind::kSYSCALL_NAME, 0, "read").name(kind::kSYSCALL_NAME, 1, "write");
  b.name(kind::kSYSCALL_NAME, 202, "futex").name(kind::kIRQ_NAME, 0xec, "local_timer");
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  return b;
}

std::vector<std::byte> nesting() {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kRead, 3).at(20, ev::kPageFault).at(25, kTimer);
  b.at(30, kTimer | kReturn).at(31, ev::kBottomHalf, 1).at(40, ev::kBottomHalf | kReturn);
  b.at(50, ev::kPageFault | kReturn).at(60, kRead | kReturn, 100).folded(70, kWrite, 1, 9, -11);
  return b.bytes(100);
}

std::vector<std::byte> ping_pong() {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kWrite, 4).at(15, ev::kRUNNABLE, 20).at(20, kWrite | kReturn, 1);
  b.at(30, kRead, 3).at(35, kSched).at(40, ev::kUSERPID, 0).at(41, kSched | kReturn);
  b.at(300, kReschedule).at(305, kReschedule | kReturn).at(310, kSched);
  b.at(320, ev::kUSERPID, 10).at(321, kSched | kReturn).at(330, kRead | kReturn, 1);
  b.cpu(1, 0).at(0, ev::kUSERPID, 0).at(16, kSched).at(20, ev::kUSERPID, 20);
  b.at(21, kSched | kReturn).at(40, kRead | kReturn, 1).at(200, kWrite, 3);
  b.at(210, ev::kRUNNABLE, 10).at(211, ev::kSEND_IPI, 0).at(220, kWrite | kReturn, 1);
  b.task(20, 20, 0, 0);
  return b.bytes(400);
}

std::vector<std::byte> idle_states() {
  TraceBuilder b = named();
  b.fact("cstate.0", "POLL,0").fact("cstate.2", "C6,33");
  b.cpu(0, 0).at(0, ev::kUSERPID, 0).at(10, ev::kMWAIT, 3u << 16 | 0x20);
  b.at(5000, kTimer).at(5050, kTimer | kReturn).at(5100, ev::kMWAIT, 1u << 16);
  b.at(6000, kTimer).at(6010, kTimer | kReturn);
  b.cpu(1, 0).at(0, ev::kUSERPID, 0).at(20, ev::kMWAIT, 3u << 16 | 0x20);
  b.at(3300, kReschedule).at(3310, kReschedule | kReturn);
  b.cpu(2, 10, "server").at(3000, ev::kSEND_IPI, 1).at(3200, ev::kFREQUENCY, 800);
  b.at(4000, ev::kFREQUENCY, 3600);
  return b.bytes(7000);
}

std::vector<std::byte> marks_and_locks() {
  TraceBuilder b = named(TraceBuilder::Style::kUpstream);
  b.name(kind::kLOCK_NAME, 0x30001, "queue \"A\"").name(kind::kMETHOD_NAME, 5, "chksum");
  b.cpu(0, 10, "server").at(10, ev::kMARK_A, 8 + 40 * 5).at(20, ev::kMARK_D, 70000);
  b.at(30, ev::kRPC_REQUEST, 64u << 16 | 5).at(40, ev::kLOCK_TRY, 0x30001);
  b.at(41, kFutex, 1).at(60, kFutex | kReturn, 0).at(61, ev::kLOCK_ACQUIRE, 0x30001);
  b.at(90, ev::kLOCK_RELEASE, 0x30001).at(95, ev::kRPC_RESPONSE, 64u << 16 | 5);
  b.at(96, ev::kRPC_MIDDLE, 0).words_at(100, ev::kPC_USER, 3000, {0x401234});
  b.words_at(110, ev::kPC_USER, 3000, {0xffff'ffff'8100'0000});
  return b.bytes(125);
}

std::vector<std::byte> strange_names() {
  TraceBuilder b;
  b.name(kind::kPID_NAME, 10, "\"quoted\\").name(kind::kPID_NAME, 20, "</script>");
  b.name(kind::kPID_NAME, 30, "\xff\xfe bytes").name(kind::kPID_NAME, 40, "Gr\u00fc\u00dfe \u20ac");
  b.name(kind::kPID_NAME, 50, std::string(56, 'n')).name(kind::kSYSCALL_NAME, 0, "it's a\ntrap");
  b.cpu(0, 10).at(10, ev::kUSERPID, 20).at(20, ev::kUSERPID, 30).at(30, ev::kUSERPID, 40);
  b.at(40, ev::kUSERPID, 50).folded(50, kRead, 0, 5, 0);
  return b.bytes(100);
}

std::vector<std::byte> wrapped() {
  TraceBuilder b = named();
  b.flags = KUTRACE_FLAG_WRAP;
  b.cpu(0, 10, "server").at(5000, kRead).at(5100, kRead | kReturn, 1);
  b.cpu(1, 20, "client").at(5600, kWrite).at(5700, kWrite | kReturn, 1);
  return b.bytes(6000);
}

std::vector<std::byte> late_entries() {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(200, kTimer).at(250, kTimer | kReturn).at(190, kRead, 3);
  b.at(300, kRead | kReturn, 1).at(400, kTimer).at(450, kTimer | kReturn);
  b.new_block(455, 10, "server").at(390, kWrite, 3).at(500, kWrite | kReturn, 1);
  return b.bytes(600);
}

std::vector<std::byte> missing_block() {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kRead).lose_block();
  b.new_block(100, 20, "client").at(110, kWrite).at(120, kWrite | kReturn, 1);
  return b.bytes(130);
}

std::vector<std::byte> declared_loss() {
  TraceBuilder b = named();
  b.words_entry(kind::kLOSS, KUTRACE_LOSS_LIMIT << 24 | 0, {kStart + 150, kStart + 200, 7});
  b.cpu(0, 10, "server").at(10, kRead).new_block(100, 20, "client");
  b.words_at(100, kind::kLOSS, KUTRACE_LOSS_BUFFER_FULL << 24 | 0,
             {kStart + 50, kStart + 100, 1234});
  b.at(101, ev::kUSERPID, 20).at(110, kWrite);
  return b.bytes(200);
}

std::vector<std::byte> mismatches() {
  TraceBuilder b = named();
  b.cpu(0, 10, "server").at(10, kWrite | kReturn, 9).at(20, kRead).at(30, kWrite);
  b.at(40, kTimer).at(50, kWrite | kReturn, 2).at(60, kRead).at(70, 0xfff, 0);
  b.at(80, kTimer | kReturn).at(90, ev::kUSERPID, 20).at(100, ev::kUSERPID, 20);
  return b.bytes(110);
}

std::vector<std::byte> cut_short() {
  std::vector<std::byte> bytes = ping_pong();
  bytes.resize(bytes.size() - KUTRACE_BLOCK_BYTES + 8 * 18);
  return bytes;
}

std::vector<std::byte> text_file() {
  std::vector<std::byte> bytes(200'000, static_cast<std::byte>('x'));
  return bytes;
}

std::vector<std::byte> version_9() {
  std::vector<std::byte> bytes = nesting();
  bytes[15] = std::byte{9};
  return bytes;
}

}  // namespace

std::vector<GoldenTrace> golden_traces() {
  return {{"ok/nesting", nesting()},
          {"ok/ping_pong", ping_pong()},
          {"ok/idle_states", idle_states()},
          {"ok/marks_and_locks", marks_and_locks()},
          {"ok/strange_names", strange_names()},
          {"ok/wrapped", wrapped()},
          {"ok/late_entries", late_entries()},
          {"bad/missing_block", missing_block()},
          {"bad/declared_loss", declared_loss()},
          {"bad/mismatches", mismatches()},
          {"bad/cut_short", cut_short()},
          {"bad/text_file", text_file()},
          {"bad/version_9", version_9()}};
}

}  // namespace kutrace::test
