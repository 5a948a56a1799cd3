// SPDX-License-Identifier: BSD-3-Clause
// Blocks to CPUs, the clock, and what a file that is not whole says of itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <utility>

#include "format/event_table.h"
#include "kutrace/abi.h"
#include "support/event_numbers.h"
#include "support/trace_builder.h"
#include "timeline/event_stream.h"

namespace kutrace::test {
namespace {

TraceBuilder two_cpus(TraceBuilder::Style style = TraceBuilder::Style::kOwn) {
  TraceBuilder b(style);
  b.name(kind::kPID_NAME, 10, "server");
  b.cpu(0, 10).at(10, kRead).at(50, kRead | ev::kReturnBit);
  b.new_block(100, 10).at(110, kRead).at(120, kRead | ev::kReturnBit);
  b.cpu(1, 0).at(30, 0x5ec).at(40, 0x7ec);
  return b;
}

timeline::TraceLayout layout_of(const std::vector<std::byte>& bytes,
                                std::vector<Ns>* times = nullptr) {
  auto file = RawFile::open(MappedFile::from_bytes(bytes, "test"));
  REQUIRE(file);
  auto layout = timeline::lay_out(*file);
  if (!layout) FAIL(describe(layout.error()));
  if (times != nullptr) {
    timeline::EventStream(*layout).run(
        [&](const timeline::Event& event) { times->push_back(event.time); });
  }
  for (timeline::CpuBlocks& cpu : layout->cpus) {
    for (timeline::PlacedBlock& placed : cpu.blocks) placed.block.words = nullptr;
  }
  layout->preamble.clear();
  return std::move(*layout);
}

void set_word(std::vector<std::byte>& bytes, std::size_t block, std::size_t word,
              std::uint64_t value) {
  std::memcpy(bytes.data() + block * KUTRACE_BLOCK_BYTES + 8 * word, &value, sizeof value);
}

std::uint64_t get_word(const std::vector<std::byte>& bytes, std::size_t block, std::size_t word) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + block * KUTRACE_BLOCK_BYTES + 8 * word, sizeof value);
  return value;
}

void swap_blocks(std::vector<std::byte>& bytes, std::size_t a, std::size_t b) {
  const auto at = [&](std::size_t n) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(n * KUTRACE_BLOCK_BYTES);
  };
  std::swap_ranges(at(a), at(a + 1), at(b));
}

TEST_CASE("blocks go to their CPUs in time order, whatever their order in the file") {
  auto bytes = two_cpus().bytes(200);
  swap_blocks(bytes, 1, 2);
  swap_blocks(bytes, 1, 3);
  std::vector<Ns> times;
  const timeline::TraceLayout layout = layout_of(bytes, &times);
  REQUIRE(layout.cpus.size() == 2);
  CHECK(layout.cpus[0].cpu == 0);
  REQUIRE(layout.cpus[0].blocks.size() == 2);
  CHECK(layout.cpus[0].blocks[0].block.base == kStart + 10);
  CHECK(layout.cpus[0].blocks[1].sequence == 1);
  CHECK(layout.complete);
  CHECK(layout.counters.named(Severity::kDamage).empty());
  CHECK(layout.begin == 0);
  CHECK(layout.end == 200 * 16);
  CHECK(std::is_sorted(times.begin(), times.end()));
}

TEST_CASE("the stream gives equal times by CPU, then as they were stored") {
  TraceBuilder b;
  b.cpu(1, 0).at(10, 0x5ec).at(20, 0x7ec).at(20, 0x5fd);
  b.cpu(0, 0).at(10, 0x5fb).at(20, 0x7fb);
  const RawFile file = b.file(30);
  const auto layout = timeline::lay_out(file);
  std::vector<std::pair<CpuId, EventNum>> seen;
  timeline::EventStream(*layout).run([&](const timeline::Event& event) {
    if (is_call(event.entry.number) || is_return(event.entry.number)) {
      seen.emplace_back(event.cpu, event.entry.number);
    }
  });
  CHECK(seen == std::vector<std::pair<CpuId, EventNum>>{
                    {0, 0x5fb}, {1, 0x5ec}, {0, 0x7fb}, {1, 0x7ec}, {1, 0x5fd}});
}

TEST_CASE("a block that stands twice in the file is used once") {
  auto bytes = two_cpus().bytes(200);
  const std::vector<std::byte> copy(bytes.begin() + 2 * KUTRACE_BLOCK_BYTES, bytes.end());
  bytes.insert(bytes.end(), copy.begin(), copy.begin() + KUTRACE_BLOCK_BYTES);
  const timeline::TraceLayout layout = layout_of(bytes);
  CHECK(layout.counters.named(Severity::kDamage).at("duplicate_block") == 1);
  CHECK(layout.complete);
}

TEST_CASE("a block whose CPU its header and its sequence entry tell differently is refused") {
  auto bytes = two_cpus().bytes(200);
  set_word(bytes, 2, 0, get_word(bytes, 2, 0) | std::uint64_t{5} << 56);
  const timeline::TraceLayout layout = layout_of(bytes);
  CHECK(layout.counters.named(Severity::kDamage).at("block_cpu_contradicted") == 1);
  CHECK(layout.cpus.size() == 2);
  CHECK_FALSE(layout.complete);
}

TEST_CASE("a block whose counter and wall clock disagree is refused") {
  for (const auto style : {TraceBuilder::Style::kOwn, TraceBuilder::Style::kUpstream}) {
    auto bytes = two_cpus(style).bytes(2'000'000'000);
    set_word(bytes, 2, 0, get_word(bytes, 2, 0) + 1'000'000'000);
    const timeline::TraceLayout layout = layout_of(bytes);
    CHECK(layout.counters.named(Severity::kDamage).at("block_time_outside") == 1);
    CHECK_FALSE(layout.complete);
  }
}

TEST_CASE("a block out of sequence is refused, its neighbours stay") {
  TraceBuilder b;
  b.cpu(0, 10).at(10, kRead).at(20, kRead | ev::kReturnBit);
  for (Ticks time = 100; time < 600; time += 100) b.new_block(time, 10).at(time + 5, 0x5ec);
  auto bytes = b.bytes(1000);
  set_word(bytes, 3, 0, get_word(bytes, 3, 0) + 250);
  const timeline::TraceLayout layout = layout_of(bytes);
  CHECK(layout.counters.named(Severity::kDamage).at("block_order_contradicted") == 1);
  CHECK(layout.cpus[0].blocks.size() == 5);
}

TEST_CASE("a recording of ours without its block count was not finished") {
  auto bytes = two_cpus().bytes(200);
  bytes.resize(bytes.size() - KUTRACE_BLOCK_BYTES);
  const timeline::TraceLayout layout = layout_of(bytes);
  CHECK_FALSE(layout.complete);
  CHECK(layout.counters.named(Severity::kDamage).at("recording_not_complete") == 1);
}

TEST_CASE("a provisional stop time of a killed recorder bounds nothing") {
  TraceBuilder b;
  b.cpu(0, 10).at(10, kRead).new_block(90'000'000, 10).at(90'000'005, 0x5ec);
  auto bytes = b.bytes(20);
  // Without the fact "blocks", as a recorder that was killed leaves it.
  const std::string fact = "blocks=";
  const auto place =
      std::search(bytes.begin(), bytes.end(), fact.begin(), fact.end(),
                  [](std::byte a, char c) { return a == static_cast<std::byte>(c); });
  REQUIRE(place != bytes.end());
  *place = std::byte{'x'};
  const timeline::TraceLayout layout = layout_of(bytes);
  REQUIRE(layout.cpus.size() == 1);
  CHECK(layout.cpus[0].blocks.size() == 2);
  CHECK_FALSE(layout.complete);
  CHECK(layout.end == 0);
}

TEST_CASE("the recorder's own tick length is exact where clock pairs are rounded") {
  CHECK(layout_of(two_cpus().bytes(1234567)).clock.to_ns(kStart + 1234567) == 1234567 * 16);
  TraceBuilder third;
  third.fact("tick_ns", "1000/3").cpu(0, 0).at(10, kRead);
  CHECK(layout_of(third.bytes(100)).clock.to_ns(kStart + 3) == Approx(1000).margin(1));
}

TEST_CASE("a tick length that no clock has is not believed") {
  for (const char* text : {"0/0", "nan", "-1", "1e9", "x"}) {
    TraceBuilder b(TraceBuilder::Style::kUpstream);
    b.fact("tick_ns", text).cpu(0, 0).at(10, kRead);
    CHECK(layout_of(b.bytes(125'000)).clock.ns_per_tick() == Approx(16));
  }
}

TEST_CASE("pairs that most blocks contradict are replaced by what the blocks say") {
  auto bytes = two_cpus(TraceBuilder::Style::kUpstream).bytes(200'000'000);
  for (const std::size_t word : {std::size_t{2}, std::size_t{4}}) set_word(bytes, 0, word, word);
  auto file = RawFile::open(MappedFile::from_bytes(bytes, "test"));
  const auto layout = timeline::lay_out(*file);
  if (layout) CHECK(layout->counters.of(Counter::kClockPairDistrusted) == 1);
  if (!layout) CHECK(layout.error().sentence.find("rate of the time counter") != std::string::npos);
}

// One in twenty has by chance pairs that a clock could have.
TEST_CASE("a file of random bytes is no trace, whatever its first words happen to say") {
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 90; ++i) {
    std::vector<std::byte> bytes(12 * std::size_t{KUTRACE_BLOCK_BYTES});
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      const std::uint64_t word = random();
      std::memcpy(&bytes[at], &word, sizeof word);
    }
    bytes[15] = static_cast<std::byte>(1 + i % KUTRACE_FORMAT_VERSION);
    auto file = RawFile::open(MappedFile::from_bytes(bytes, "test"));
    CAPTURE(i);
    CHECK_FALSE((file && timeline::lay_out(*file)));
  }
}

TEST_CASE("late entries are put back in order within and across blocks") {
  TraceBuilder b;
  b.cpu(0, 10).at(1000, 0x5ec).at(1100, 0x7ec).at(900, kRead);
  b.new_block(1200, 10).at(1100, 0x40e).at(1150, 0x60e).at(1080, ev::kMARK_D, 1);
  const RawFile file = b.file(2000);
  const auto layout = timeline::lay_out(file);
  std::vector<Ns> times;
  timeline::EventStream(*layout).run([&](const timeline::Event& event) {
    const EventNum number = event.entry.number;
    if (event_class(number) != EventClass::kName && number < timeline::kBlockStart) {
      times.push_back(event.time / 16);
    }
  });
  CHECK(times == std::vector<Ns>{900, 1000, 1080, 1100, 1100, 1150});
}

TEST_CASE("a wrapped recording begins where its data begins") {
  TraceBuilder b;
  b.flags = KUTRACE_FLAG_WRAP;
  b.name(kind::kPID_NAME, 10, "server");
  b.cpu(0, 10).at(5000, kRead).cpu(1, 0).at(7000, 0x5ec);
  const timeline::TraceLayout layout = layout_of(b.bytes(9000));
  CHECK(layout.wrapped);
  CHECK(layout.begin == 5000 * 16);
  CHECK(layout.end == 9000 * 16);
}

}  // namespace
}  // namespace kutrace::test
