// SPDX-License-Identifier: BSD-3-Clause
// One reader of a recording that several share: the order of its blocks, what is missing of them,
// and what others asked for.
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <vector>

#include "decode/block_decoder.h"
#include "format/cpu_writer.h"
#include "format/entry_word.h"
#include "format/event_table.h"
#include "record/module/shared_reader.h"

namespace kutrace::test {
namespace {

constexpr CpuId kCpu = 0;
constexpr Pid kThread = 111;
constexpr Ticks kBegin = 1'000'000;
constexpr Ticks kBlockTicks = 1000;
constexpr std::uint32_t kDeviceBlocks = 8;
constexpr EventNum kCall = 0x800;
constexpr EventNum kIrq = 0x505;

// Blocks as the module finishes them, each with a call and an interrupt of its number; the last may
// have none.
class Finished {
 public:
  explicit Finished(unsigned count, bool ends_empty = false) {
    CpuWriter writer({.cpu = kCpu});
    for (unsigned i = 0; i < count; ++i) {
      BlockHeader header;
      header.start.counter = kBegin + i * kBlockTicks;
      header.pid = kThread;
      writer.open(header);
      if (!ends_empty || i + 1 < count) {
        writer.put(time_of(i), low44(kCall, i));
        writer.put(time_of(i) + 10, low44(kIrq, i));
      }
      const BlockWriter& block = writer.block();
      words_.emplace_back(block.words(), block.words() + KUTRACE_BLOCK_WORDS);
      record::FinishedBlock finished;
      finished.index = i;
      finished.cpu = kCpu;
      finished.words = words_.back().data();
      finished.end = static_cast<std::uint32_t>(block.position());
      blocks_.push_back(finished);
    }
  }
  static Ticks time_of(unsigned i) { return kBegin + i * kBlockTicks + 100; }
  const record::FinishedBlock& operator[](unsigned i) const { return blocks_[i]; }

 private:
  std::deque<std::vector<std::uint64_t>> words_;
  std::vector<record::FinishedBlock> blocks_;
};

struct Got {
  std::vector<std::uint32_t> calls;
  std::vector<std::array<Ticks, 2>> losses;
  unsigned others = 0;
  std::vector<std::uint64_t> numbers;
};

Got read(const std::vector<record::FinishedBlock>& blocks) {
  Got got;
  for (const record::FinishedBlock& finished : blocks) {
    CHECK(finished.index >= kDeviceBlocks);
    got.numbers.push_back(finished.sequence());
    Block block;
    block.words = reinterpret_cast<const std::byte*>(finished.words);
    block.header_words = KUTRACE_HEADER_WORDS;
    block.word_count = finished.end;
    block.base = finished.base();
    decode::DecodeCounters counters;
    decode::BlockDecoder decoder(block, counters);
    decode::Entry entry;
    while (decoder.next(entry)) {
      if (entry.number == kCall) got.calls.push_back(entry.arg);
      if (entry.number == kIrq) ++got.others;
      if (event_class(entry.number) == EventClass::kName && name_kind(entry.number) == kind::kLOSS)
        got.losses.push_back({entry.payload_word(0), entry.payload_word(1)});
    }
  }
  return got;
}

EventGroups calls() { return *EventGroups::parse("syscalls"); }

TEST_CASE("blocks in about any order are passed on in order, without what others want",
          "[record]") {
  const Finished blocks(3);
  record::SharedReader reader(calls(), kBegin + 1, kDeviceBlocks);
  reader.begin({kCpu});
  CHECK(reader.add(blocks[1]));
  CHECK(reader.add(blocks[0]));
  reader.pass();
  CHECK(reader.has_gap());  // whether one is missing in front is not known yet
  reader.pass_up_to(reader.newest());
  CHECK_FALSE(reader.has_gap());
  CHECK(reader.add(blocks[2]));
  reader.pass();
  const Got got = read(reader.finish());
  CHECK(got.calls == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(got.others == 0);
  CHECK(got.losses.empty());
  CHECK(reader.missed() == 0);
}

TEST_CASE("what was overwritten is told, from the last entry to the next block", "[record]") {
  const Finished blocks(5);
  record::SharedReader reader(calls(), kBegin + 1, kDeviceBlocks);
  reader.begin({kCpu});
  for (const unsigned i : {0u, 1u, 4u}) CHECK(reader.add(blocks[i]));
  const Got got = read(reader.finish());
  CHECK(got.calls == std::vector<std::uint32_t>{0, 1, 4});
  REQUIRE(got.losses.size() == 1);
  CHECK(got.losses[0] == std::array<Ticks, 2>{Finished::time_of(1) + 10, blocks[4].base()});
  CHECK(reader.missed() == 2);
}

TEST_CASE("what was overwritten is told, too, if nothing comes behind it", "[record]") {
  const Finished blocks(4, true);
  record::SharedReader reader(calls(), kBegin + 1, kDeviceBlocks);
  reader.begin({kCpu});
  for (const unsigned i : {0u, 3u}) CHECK(reader.add(blocks[i]));
  const Got got = read(reader.finish());
  CHECK(got.calls == std::vector<std::uint32_t>{0});
  REQUIRE(got.losses.size() == 1);
  CHECK(got.losses[0] == std::array<Ticks, 2>{Finished::time_of(0) + 10, blocks[3].base()});
}

TEST_CASE("blocks that were finished before the begin are not missed", "[record]") {
  const Finished blocks(4);
  record::SharedReader reader(calls(), blocks[2].base(), kDeviceBlocks);
  reader.begin_behind(kCpu, 1);
  reader.begin({kCpu});
  CHECK(reader.add(blocks[0]));
  CHECK(reader.add(blocks[2]));
  reader.pass();
  CHECK_FALSE(reader.has_gap());
  CHECK(reader.add(blocks[3]));
  const Got got = read(reader.finish());
  CHECK(got.calls == std::vector<std::uint32_t>{2, 3});
  CHECK(got.losses.empty());
  CHECK(reader.missed() == 0);
}

TEST_CASE("the first blocks may be overwritten, too", "[record]") {
  const Finished blocks(3);
  record::SharedReader reader(calls(), kBegin + 1, kDeviceBlocks);
  reader.begin({kCpu});
  CHECK(reader.add(blocks[2]));
  const Got got = read(reader.finish());
  CHECK(got.calls == std::vector<std::uint32_t>{2});
  REQUIRE(got.losses.size() == 1);
  CHECK(got.losses[0] == std::array<Ticks, 2>{kBegin + 1, blocks[2].base()});
}

TEST_CASE("who began it goes on behind blocks that it has as they were", "[record]") {
  const Finished blocks(4);
  record::SharedReader reader(calls(), kBegin, kDeviceBlocks);
  reader.go_on_from(kCpu, 2, Finished::time_of(1) + 10);
  CHECK_FALSE(reader.add(blocks[1]));
  CHECK(reader.add(blocks[2]));
  CHECK(reader.add(blocks[3]));
  const Got got = read(reader.finish());
  CHECK(got.calls == std::vector<std::uint32_t>{2, 3});
  CHECK(got.losses.empty());
  CHECK(got.numbers == std::vector<std::uint64_t>{2});
}

}  // namespace
}  // namespace kutrace::test
