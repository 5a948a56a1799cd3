// SPDX-License-Identifier: BSD-3-Clause
// RPCs: their messages on the link with sizes and times, their queues.
#include <catch2/catch.hpp>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/lines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr std::uint32_t kOneKilobyte = 100u << 16;  // 10 * log2(1024)
constexpr std::uint32_t kGet = 0x1234;
constexpr std::uint32_t kHash = 0x89abcdef;

TraceBuilder named() {
  TraceBuilder b(TraceBuilder::Style::kUpstream);
  b.name(kind::kPID_NAME, 10, "server").name(kind::kPID_NAME, 20, "client");
  b.name(kind::kMETHOD_NAME, kGet, "get").name(kind::kQUEUE_NAME, 3, "work");
  return b;
}

constexpr Ticks kStop = 125'000;

Span only(const Replay& r, SpanKind kind) {
  Span found;
  int count = 0;
  for (const Span& span : r.spans) {
    if (span.kind != kind) continue;
    found = span;
    ++count;
  }
  CHECK(count == 1);
  return found;
}

//   kernel: rx at 1000      program: urx at 1500, request at 1600
//   |--- 1 KB on the link ---|
TEST_CASE("a request ends on the link where the kernel received it") {
  TraceBuilder b = named();
  b.cpu(1, 10).at(10, ev::kLINK_SPEED, 1000).at(1000, ev::kRX_PACKET, kHash);
  b.at(1500, ev::kRX_USER, kHash).at(1600, ev::kRPC_REQUEST, kOneKilobyte | kGet);
  const Replay r = replayed(b, kStop);
  const Span message = only(r, SpanKind::kMessage);
  CHECK(message.event == ev::kRX_MESSAGE);
  CHECK(message.duration == 8192);
  CHECK(message.start + message.duration == 16'000);
  CHECK(message.arg == 1024);
  CHECK(message.rpc == kGet);
  CHECK(message.cpu == 0);
  CHECK(r.names.text(message.name) == "get.4660");
}

TEST_CASE("a response starts on the link where the kernel sent it") {
  TraceBuilder b = named();
  b.cpu(1, 10).at(10, ev::kLINK_SPEED, 10'000).at(1000, ev::kRPC_RESPONSE, kOneKilobyte | kGet);
  b.at(1100, ev::kTX_USER, kHash).at(1200, ev::kTX_PACKET, kHash);
  const Span message = only(replayed(b, kStop), SpanKind::kMessage);
  CHECK(message.event == ev::kTX_MESSAGE);
  CHECK(message.start == 1200 * 16);
  CHECK(message.duration == 819);
}

TEST_CASE("one event is the end of a request or the begin of a response, not both") {
  TraceBuilder b = named();
  b.cpu(1, 10).at(1000, ev::kRX_PACKET, kHash).at(1100, ev::kRX_USER, kHash);
  b.at(1200, ev::kRPC_REQUEST, kOneKilobyte | kGet);
  b.at(1300, ev::kTX_USER, kHash).at(1400, ev::kTX_PACKET, kHash);
  CHECK(only(replayed(b, kStop), SpanKind::kMessage).event == ev::kRX_MESSAGE);
}

TEST_CASE("a message without a length is as long as a packet's headers") {
  TraceBuilder b = named();
  b.cpu(1, 10).at(1000, ev::kRPC_REQUEST, kGet).at(1100, ev::kTX_USER, kHash);
  b.at(1200, ev::kTX_PACKET, kHash);
  CHECK(only(replayed(b, kStop), SpanKind::kMessage).arg == 84);
}

TEST_CASE("a message that arrived as the recording began is shown from there on") {
  TraceBuilder b = named();
  b.cpu(1, 10).at(10, ev::kRX_PACKET, kHash).at(20, ev::kRX_USER, kHash);
  b.at(30, ev::kRPC_REQUEST, kOneKilobyte | kGet);
  const Span message = only(replayed(b, kStop), SpanKind::kMessage);
  CHECK(message.start == 0);
  CHECK(message.duration == 160);
}

TEST_CASE("a link speed of 0 is none") {
  TraceBuilder b = named();
  b.cpu(1, 10).at(10, ev::kLINK_SPEED, 0).at(1000, ev::kRPC_REQUEST, kOneKilobyte | kGet);
  b.at(1100, ev::kTX_USER, kHash).at(1200, ev::kTX_PACKET, kHash);
  CHECK(only(replayed(b, kStop), SpanKind::kMessage).duration == 8192);
}

TEST_CASE("packets, user messages and lone hashes are points with their hash") {
  TraceBuilder b = named();
  b.cpu(1, 10).at(10, ev::kRX_PACKET, kHash).at(20, ev::kTX_PACKET, 7).at(30, ev::kRX_USER, 8);
  b.at(40, ev::kTX_USER, 9);
  const Replay r = replayed(b, kStop);
  CHECK(r.of_kind(SpanKind::kMessage).empty());
  CHECK(r.of_kind(SpanKind::kPoint) == Lines{"10: point 160+0 rx(2309737967)",
                                             "10: point 320+0 tx(7)", "10: point 480+0 urx(8)",
                                             "10: point 640+0 utx(9)"});
}

//   RPC 4660: enqueued by 10, dequeued by 20 on another CPU
TEST_CASE("an RPC is queued until another thread takes it, whatever lengths the two ends say") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(100, ev::kRPC_REQUEST, kOneKilobyte | kGet).at(200, ev::kENQUEUE, 3);
  b.at(210, ev::kRPC_MIDDLE, 0);
  b.cpu(1, 20).at(300, ev::kDEQUEUE, 3).at(320, ev::kRPC_REQUEST, kGet);
  const Replay r = replayed(b, kStop);
  const Span queued = only(r, SpanKind::kQueued);
  CHECK(queued.start <= 210 * 16);
  CHECK(queued.start >= 200 * 16);
  CHECK(queued.start + queued.duration <= 320 * 16);
  CHECK(queued.start + queued.duration >= 300 * 16);
  CHECK(queued.rpc == kGet);
  CHECK(queued.arg == 3);
  CHECK(r.names.text(queued.name) == "work");
}

TEST_CASE("an RPC goes with its thread, its number without the length") {
  TraceBuilder b = named();
  b.cpu(0, 10).at(100, ev::kRPC_REQUEST, kOneKilobyte | kGet).at(200, ev::kUSERPID, 20);
  b.at(300, ev::kUSERPID, 10).at(400, ev::kRPC_RESPONSE, 0);
  std::vector<std::uint32_t> seen;
  for (const Span& span : replayed(b, kStop).spans) {
    if (is_execution(span.kind) && span.cpu == 0) seen.push_back(span.rpc);
  }
  CHECK(seen == std::vector<std::uint32_t>{0, kGet, 0, kGet, 0});
}

}  // namespace
}  // namespace kutrace::test
