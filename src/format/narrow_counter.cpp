// SPDX-License-Identifier: BSD-3-Clause
// Turn-overs of 32-bit counters undone.
#include "format/narrow_counter.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace kutrace {

namespace {

constexpr Ticks kTurn = Ticks{1} << 32;
constexpr Ticks kPairSlack = Ticks{1} << 20;
constexpr double kRaspberryTicksPerUsec = 54;
constexpr double kMostTicksPerUsec = 100.1;  // of any machine that was ever recorded
constexpr std::size_t kModelBytes = 512;     // the CPU's name is the second entry of block 0

bool names_machine(std::span<const std::byte> bytes, std::string_view machine) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min(bytes.size(), kModelBytes));
  return text.find(machine) != std::string_view::npos;
}

// The counter congruent to `counter` whose distance from the start fits the time that passed.
Ticks nearest_turn(Ticks counter, const TimePair& start, std::uint64_t passed_usec) {
  const double expected = static_cast<double>(start.counter) +
                          kRaspberryTicksPerUsec * static_cast<double>(passed_usec);
  const double turns = (expected - static_cast<double>(counter)) / static_cast<double>(kTurn);
  return counter + kTurn * static_cast<Ticks>(std::max(0.0, std::round(turns)));
}

bool widen(bool wrapped, const TimePair& start, TimePair& stop, std::vector<Block>& blocks) {
  const auto narrow = [](const Block& block) { return block.base < kTurn; };
  if (start.counter >= kTurn || stop.usec <= start.usec ||
      !std::all_of(blocks.begin(), blocks.end(), narrow)) {
    return false;
  }
  const Ticks before = stop.counter;
  stop.counter = nearest_turn(stop.counter & (kTurn - 1), start, stop.usec - start.usec);
  bool changed = stop.counter != before;
  const bool one_turn = wrapped || stop.counter - start.counter < kTurn;
  Ticks turned = 0;
  Ticks last = start.counter;
  for (Block& block : blocks) {
    if (one_turn) {
      turned = block.base + kPairSlack < start.counter ? kTurn : 0;
    } else if (block.base + kTurn / 2 < last) {
      turned += kTurn;
    }
    last = block.base;
    if (block.base + turned > stop.counter + kPairSlack) continue;  // it was no turn-over
    changed |= turned != 0;
    block.base += turned;
  }
  return changed;
}

}  // namespace

bool mend_counters(std::span<const std::byte> first_block, bool wrapped, const TimePair& start,
                   TimePair& stop, std::vector<Block>& blocks) {
  if (names_machine(first_block, "Raspberry")) return widen(wrapped, start, stop, blocks);
  if (!names_machine(first_block, "u74-mc")) return false;
  const bool one_bit_more =
      start.counter < kTurn && stop.counter >= kTurn && stop.counter < 2 * kTurn;
  if (!one_bit_more || stop.usec <= start.usec) return false;
  const double rate = static_cast<double>(stop.counter - start.counter) /
                      static_cast<double>(stop.usec - start.usec);
  if (rate <= kMostTicksPerUsec) return false;
  stop.counter -= kTurn;
  return true;
}

}  // namespace kutrace
