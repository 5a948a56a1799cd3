// SPDX-License-Identifier: BSD-3-Clause
// RPCs of several machines in one trace: those that a message joins have one number, others none in
// common.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "format/event_table.h"
#include "model/rpc_names.h"
#include "support/joined_machines.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

constexpr std::uint32_t kNumber = 7;
constexpr std::uint32_t kLength = 100u << 16;
constexpr Ticks kStop = 100'000;

// Threads 10 and 30 are processes of their own.
TraceBuilder machine(const std::string& method) {
  TraceBuilder b;
  b.name(kind::kMETHOD_NAME, kNumber, method).task(10, 10, 0).task(30, 30, 0);
  b.cpu(0, 10).at(0, ev::kUSERPID, 10);
  return b;
}

TraceBuilder& point(TraceBuilder& b, Ticks time, EventNum event) {
  return b.at(time, event, kLength | kNumber);
}

// "cpu time name" of each RPC point of the trace of both.
std::vector<std::string> points(TraceBuilder& one, TraceBuilder& other) {
  const RawFile first = one.file(kStop);
  const RawFile second = other.file(kStop);
  auto bytes = joined_bytes(first, second);
  REQUIRE(bytes);
  auto file = RawFile::open(MappedFile::from_bytes(std::move(*bytes), "made"));
  REQUIRE(file);
  Replay r;
  replay(*file, r);
  std::vector<std::string> found;
  for (const Span& span : r.spans) {
    if (span.kind != SpanKind::kPoint || !names_rpc(span)) continue;
    found.push_back(std::to_string(span.cpu) + " " + std::to_string(span.start / 16) + " " +
                    std::string(r.names.text(span.name)));
  }
  return found;
}

using Points = std::vector<std::string>;

}  // namespace

TEST_CASE("RPCs of one number that no message joins have two numbers, and their own names") {
  TraceBuilder one = machine("get");
  point(point(one, 100, ev::kRPC_REQUEST), 500, ev::kRPC_RESPONSE);
  TraceBuilder other = machine("put");
  point(point(other, 200, ev::kRPC_REQUEST), 400, ev::kRPC_RESPONSE);
  CHECK(points(one, other) ==
        Points{"0 100 get.7", "1 200 put.65535", "1 400 put.65535", "0 500 get.7"});
}

TEST_CASE("a message joins an RPC with its server's, and with no other process's") {
  TraceBuilder client = machine("get");
  point(client, 100, ev::kRPC_REQUEST).at(110, ev::kTX_PACKET, 1);
  client.at(400, ev::kRX_PACKET, 2);
  point(client, 420, ev::kRPC_RESPONSE);
  TraceBuilder server = machine("get");
  server.at(200, ev::kRX_PACKET, 1);
  point(server, 220, ev::kRPC_REQUEST).at(230, ev::kUSERPID, 30);
  point(server, 240, ev::kRPC_REQUEST).at(250, ev::kUSERPID, 10);
  point(server, 300, ev::kRPC_RESPONSE).at(310, ev::kTX_PACKET, 2).at(320, ev::kUSERPID, 30);
  point(server, 500, ev::kRPC_RESPONSE);
  CHECK(points(client, server) == Points{"0 100 get.7", "1 220 get.7", "1 240 get.65535",
                                         "1 300 get.7", "0 420 get.7", "1 500 get.65535"});
}

TEST_CASE("who answers an RPC, and then asks under its number, asks for himself") {
  TraceBuilder client = machine("get");
  point(client, 100, ev::kRPC_REQUEST).at(110, ev::kTX_PACKET, 1);
  point(client, 420, ev::kRPC_RESPONSE).at(430, ev::kTX_PACKET, 3);
  TraceBuilder server = machine("get");
  server.at(200, ev::kRX_PACKET, 1);
  point(point(server, 220, ev::kRPC_REQUEST), 300, ev::kRPC_RESPONSE).at(310, ev::kTX_PACKET, 2);
  server.at(500, ev::kRX_PACKET, 3);
  // By far later than clocks may be off.
  point(point(server, 420 + 70'000, ev::kRPC_REQUEST), 420 + 70'100, ev::kRPC_RESPONSE);
  CHECK(points(client, server).back() == "1 70520 get.65535");
  CHECK(points(client, server)[1] == "1 220 get.7");
}

TEST_CASE("the number of a server's RPC is the client's, whichever machine comes first") {
  TraceBuilder server = machine("get");
  server.at(200, ev::kRX_PACKET, 1);
  point(point(server, 220, ev::kRPC_REQUEST), 300, ev::kRPC_RESPONSE);
  TraceBuilder client = machine("get");
  point(client, 100, ev::kRPC_REQUEST).at(110, ev::kTX_PACKET, 1);
  point(client, 420, ev::kRPC_RESPONSE);
  CHECK(points(server, client) ==
        Points{"1 100 get.7", "0 220 get.7", "0 300 get.7", "1 420 get.7"});
}

}  // namespace kutrace::test
