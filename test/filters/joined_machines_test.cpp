// SPDX-License-Identifier: BSD-3-Clause
// Machines in one trace: what each entry said of its own machine, it says there.
#include "support/joined_machines.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "format/event_table.h"
#include "support/event_numbers.h"
#include "support/spans_of.h"
#include "support/trace_builder.h"
#include "timeline/event_stream.h"
#include "timeline/trace_layout.h"

namespace kutrace::test {
namespace {

TraceBuilder machine() {
  TraceBuilder b;
  b.name(kind::kSYSCALL_NAME, 0, "read").task(10, 10, 0);
  b.cpu(0, 10).at(0, ev::kUSERPID, 10);
  return b;
}

// Two machines of which both did the same.
RawFile twice(TraceBuilder& builder, Ticks stop) {
  const RawFile one = builder.file(stop);
  const RawFile other = builder.file(stop);
  auto bytes = joined_bytes(one, other);
  REQUIRE(bytes);
  auto file = RawFile::open(MappedFile::from_bytes(std::move(*bytes), "made"));
  REQUIRE(file);
  return std::move(*file);
}

// "event: number number number" of each moment of the second machine.
std::vector<std::string> moments(const RawFile& file) {
  const auto layout = timeline::lay_out(file);
  REQUIRE(layout);
  std::vector<std::string> found;
  timeline::EventStream stream(*layout);
  stream.run([&](const timeline::Event& event) {
    const decode::Entry& entry = event.entry;
    if (event.cpu != 1 || event_class(entry.number) != EventClass::kName) return;
    if (name_kind(entry.number) != kind::kPOINT) return;
    std::string line = fmt::format("{:x}:", entry.arg);
    for (unsigned i = 0; i + 1 < entry.words; ++i)
      line += fmt::format(" {:x}", entry.payload_word(i));
    found.push_back(std::move(line));
  });
  return found;
}

}  // namespace

TEST_CASE("short calls that follow each other within a tick may last until behind the end") {
  TraceBuilder b = machine();
  for (int i = 0; i < 100; ++i) b.folded(990, kRead, 1, 3, 0);
  Replay r;
  replay(twice(b, 991), r);
  CHECK(r.of_kind(SpanKind::kSyscall).size() == 200);
  CHECK(r.info.counters.named(Severity::kDamage).empty());
}

TEST_CASE("of a moment's numbers, those that are addresses are moved, and no others") {
  constexpr std::uint64_t kAddress = 0xffff'8000'0000'1000;
  constexpr std::uint64_t kExpected = 0xffff'ffff'0000'0080;
  TraceBuilder b = machine();
  b.words_at(100, kind::kPOINT, ev::kFUTEX_WAIT, {0x7f00'0000'1000, kExpected, 5});
  b.words_at(110, kind::kPOINT, ev::kBLOCK_ISSUE, {kExpected, 4096, 1});
  b.words_at(120, kind::kPOINT, ev::kWORK_BEGIN, {kAddress, kAddress + 8});
  const std::vector<std::string> found = moments(twice(b, 1000));
  REQUIRE(found.size() == 3);
  CHECK(found[0] == "222: 7f0000001000 ffffffff00000080 5");
  CHECK(found[1] == "223: ffffffff00000080 1000 1");
  CHECK_FALSE(found[2].contains("ffff80000000100"));
}

}  // namespace kutrace::test
