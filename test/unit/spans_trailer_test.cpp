// SPDX-License-Identifier: BSD-3-Clause
// The trailer: instructions per cycle and cache misses of each span, also of those cut by points.
#include <catch2/catch.hpp>
#include <cstring>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"

namespace kutrace::test {
namespace {

// One CPU's block 0, its trailer bytes given for the entries in order.
std::vector<int> nibbles(unsigned flags, TraceBuilder& b, const std::vector<unsigned>& trailer) {
  b.flags = flags;
  auto bytes = b.bytes(125'000);
  bytes.resize(bytes.size() + KUTRACE_TRAILER_BYTES, std::byte{0xee});
  for (std::size_t i = 0; i < trailer.size(); ++i) {
    bytes[KUTRACE_BLOCK_BYTES + KUTRACE_FIRST_HEADER_WORDS + i] =
        static_cast<std::byte>(trailer[i]);
  }
  auto file = RawFile::open(MappedFile::from_bytes(std::move(bytes), "test"));
  REQUIRE(file);
  Replay r;
  replay(*file, r);
  std::vector<int> out;
  for (const Span& span : r.spans) {
    if (is_execution(span.kind)) out.push_back(span.ipc);
  }
  out.pop_back();  // open at the end: never measured
  return out;
}

TraceBuilder plain() { return TraceBuilder(TraceBuilder::Style::kUpstream); }

TEST_CASE("a span has the nibble of the entry that ends it, a folded call its own") {
  TraceBuilder b = plain();
  b.cpu(0, 10).at(10, kRead).at(20, kRead | kReturn).folded(30, kRead, 1, 5, 0).at(50, kTimer);
  //                  user, read, user + folded read, user
  CHECK(nibbles(KUTRACE_FLAG_IPC, b, {0x03, 0x0c, 0xf7, 0x02}) ==
        std::vector<int>{3, 12, 7, 15, 2});
}

TEST_CASE("pieces between points are averaged by time") {
  TraceBuilder b = plain();
  //       |20 ticks at 0.25     |mark |60 ticks at 2.0
  b.cpu(0, 10).at(20, ev::kMARK_D, 1).at(80, kRead).at(90, kRead | kReturn);
  // (20 * 0.25 + 60 * 2) / 80 = 1.56 -> the step from 1.5
  CHECK(nibbles(KUTRACE_FLAG_IPC, b, {0x02, 0x0c, 0x05}) == std::vector<int>{10, 5});
}

TEST_CASE("cache misses of pieces are added up") {
  TraceBuilder b = plain();
  b.cpu(0, 10).at(20, ev::kMARK_D, 1).at(80, kRead).at(90, kRead | kReturn);
  // 64 + 64 misses -> the step from 128
  CHECK(nibbles(KUTRACE_FLAG_LLC, b, {0x05, 0x05, 0x01}) == std::vector<int>{6, 1});
}

TEST_CASE("where a nibble holds two bits of each, IPC is averaged and misses are added up") {
  TraceBuilder b = plain();
  b.cpu(0, 10).at(40, ev::kMARK_D, 1).at(80, kRead).at(90, kRead | kReturn);
  // IPC steps 0 and 3 -> (1/8 + 2.5) / 2 = 1.31, step 2; misses 8 + 512 -> step 3
  CHECK(nibbles(KUTRACE_FLAG_IPC | KUTRACE_FLAG_LLC, b, {0x01, 0x0f, 0x09}) ==
        std::vector<int>{0xb, 9});
}

TEST_CASE("a trace of cache misses alone may lack its trailers") {
  TraceBuilder b = plain();
  b.flags = KUTRACE_FLAG_LLC;
  b.cpu(0, 10).at(10, kRead).new_block(1000, 10).at(1010, kRead | kReturn);
  b.new_block(2000, 10).at(2010, kTimer);
  const auto without = b.bytes(125'000);
  Replay r;
  auto file = RawFile::open(MappedFile::from_bytes(without, "test"));
  REQUIRE(file);
  replay(*file, r);
  CHECK(r.info.blocks == 3);
  CHECK(r.info.counters.named(Severity::kDamage).empty());
  CHECK(r.timeline(0).size() == 4);
}

}  // namespace
}  // namespace kutrace::test
