// SPDX-License-Identifier: BSD-3-Clause
// Counters of 32 bits that turned over while they were recorded.
#include <catch2/catch.hpp>
#include <cstring>

#include "format/narrow_counter.h"

namespace kutrace::test {
namespace {

constexpr Ticks kTurn = Ticks{1} << 32;
constexpr Ticks kSecond = 54'000'000;  // ticks of a Raspberry Pi

// The words of a block 0 whose names say which machine it was.
std::vector<std::byte> block_zero(std::string_view model) {
  std::vector<std::byte> bytes(512);
  std::memcpy(bytes.data() + 12 * 8 + 8, model.data(), model.size());
  return bytes;
}

std::vector<Block> blocks_at(std::initializer_list<Ticks> bases) {
  std::vector<Block> blocks;
  for (const Ticks base : bases) {
    Block block;
    block.base = base;
    blocks.push_back(block);
  }
  return blocks;
}

std::vector<Ticks> bases(const std::vector<Block>& blocks) {
  std::vector<Ticks> out;
  for (const Block& block : blocks) out.push_back(block.base);
  return out;
}

const auto kPi = block_zero("Raspberry Pi 4 Model B Rev 1.1");

TEST_CASE("a Raspberry Pi's 32-bit counter goes on over its turn") {
  const TimePair start{kTurn - kSecond, 1'000'000};
  TimePair stop{3 * kSecond, 5'000'000};
  auto blocks = blocks_at({kTurn - kSecond, kTurn - 5, 20, 2 * kSecond});
  CHECK(mend_counters(kPi, false, start, stop, blocks));
  CHECK(stop.counter == kTurn + 3 * kSecond);
  CHECK(bases(blocks) ==
        std::vector<Ticks>{kTurn - kSecond, kTurn - 5, kTurn + 20, kTurn + 2 * kSecond});
}

TEST_CASE("within one turn the blocks may stand in any order") {
  const TimePair start{kTurn - kSecond, 1'000'000};
  TimePair stop{3 * kSecond, 5'000'000};
  auto blocks = blocks_at({kTurn - kSecond, 2 * kSecond, kTurn - 5, 20});
  CHECK(mend_counters(kPi, false, start, stop, blocks));
  CHECK(bases(blocks) ==
        std::vector<Ticks>{kTurn - kSecond, kTurn + 2 * kSecond, kTurn - 5, kTurn + 20});
}

TEST_CASE("a recording of several turns counts them in the order of its blocks") {
  const TimePair start{100, 1'000'000};
  TimePair stop{500, 1'000'000 + 2 * kTurn / 54};
  auto blocks = blocks_at({100, kTurn - 7, 50, kTurn / 2, kTurn - 9, 60});
  CHECK(mend_counters(kPi, false, start, stop, blocks));
  CHECK(stop.counter == 2 * kTurn + 500);
  CHECK(bases(blocks) == std::vector<Ticks>{100, kTurn - 7, kTurn + 50, kTurn + kTurn / 2,
                                            2 * kTurn - 9, 2 * kTurn + 60});
}

TEST_CASE("a stop counter that the recorder widened wrongly is put where the time says") {
  for (const Ticks wrong : {Ticks{0}, kTurn, 3 * kTurn}) {
    const TimePair start{2 * kSecond, 0};
    TimePair stop{wrong + 7 * kSecond, 5'000'000};
    auto blocks = blocks_at({2 * kSecond, 6 * kSecond});
    CHECK(mend_counters(kPi, false, start, stop, blocks) == (wrong != 0));
    CHECK(stop.counter == 7 * kSecond);
    CHECK(bases(blocks) == std::vector<Ticks>{2 * kSecond, 6 * kSecond});
  }
}

TEST_CASE("counters of 56 bits are left alone, on a Raspberry Pi too") {
  const TimePair start{5 * kTurn, 0};
  TimePair stop{5 * kTurn + kSecond, 1'000'000};
  auto blocks = blocks_at({5 * kTurn, 5 * kTurn + 1000});
  CHECK_FALSE(mend_counters(kPi, false, start, stop, blocks));
  const TimePair low{100, 0};
  TimePair high{3 * kSecond, 3'000'000};
  auto other = blocks_at({100, 50});
  CHECK_FALSE(mend_counters(block_zero("Intel"), false, low, high, other));
}

TEST_CASE("the SiFive's stop counter loses a bit it never had") {
  const auto sifive = block_zero("sifive,u74-mc");
  const TimePair start{1'000'000, 0};
  TimePair stop{kTurn + 6'000'000, 5'000'000};
  auto blocks = blocks_at({1'000'000});
  CHECK(mend_counters(sifive, false, start, stop, blocks));
  CHECK(stop.counter == 6'000'000);
  TimePair true_stop{kTurn + 6'000'000, 5'000'000'000};
  CHECK_FALSE(mend_counters(sifive, false, start, true_stop, blocks));
}

}  // namespace
}  // namespace kutrace::test
