// SPDX-License-Identifier: BSD-3-Clause
// Entry lengths and times inside one block.
#include "record/blocks/block_walk.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "format/event_table.h"

namespace kutrace::record {

namespace {

constexpr Ticks kPeriod = Ticks{1} << KUTRACE_TIME_BITS;

// The time nearest to `around` whose low 20 bits are those of the word.
Ticks time_near(Ticks around, std::uint64_t word) {
  const Ticks low = word >> KUTRACE_TIME_SHIFT;
  const Ticks forward = (low - around) & (kPeriod - 1);
  return forward > kPeriod - kPeriod / 8 ? around + forward - kPeriod : around + forward;
}

Ticks entry_time(Ticks previous, std::uint64_t word) {
  const bool jump = entry_event(word) == ev::kTSDELTA;
  return time_near(jump ? previous + entry_arg(word) : previous, word);
}

void unfold_if_longer(std::uint64_t& word, Ticks time, Ticks stop) {
  if (!is_call(entry_event(word))) return;
  const Ticks length = word >> KUTRACE_DELTA_SHIFT & KUTRACE_DELTA_MAX;
  if (time + length > stop) word &= ~(std::uint64_t{0xffff} << KUTRACE_RESULT_SHIFT);
}

}  // namespace

std::uint32_t entry_words(std::uint64_t word) {
  const EventNum event = entry_event(word);
  const EventClass what = event_class(event);
  if (what == EventClass::kPcSample) return 2;
  if (what != EventClass::kName) return 1;
  const unsigned words = name_words(event);
  return words == 0 || words > KUTRACE_MAX_WORDS ? 1 : words;
}

std::uint64_t count_holes(const FinishedBlock& block) {
  std::uint64_t holes = 0;
  for_each_entry(block, [&](std::uint32_t at) { holes += block.words[at] == 0; });
  return holes;
}

bool is_settled(const FinishedBlock& block) { return count_holes(block) == 0; }

Ticks end_time(const FinishedBlock& block) {
  Ticks time = block.base();
  for_each_entry(block, [&](std::uint32_t at) { time = entry_time(time, block.words[at]); });
  return time;
}

std::uint32_t cut_after(const FinishedBlock& block, Ticks stop, std::vector<std::uint64_t>& copy) {
  copy.assign(block.words, block.words + block.end);
  copy.resize(KUTRACE_BLOCK_WORDS);
  Ticks time = block.base();
  for (std::uint32_t at = KUTRACE_HEADER_WORDS; at < block.end;) {
    const std::uint32_t length = entry_words(copy[at]);
    time = entry_time(time, copy[at]);
    if (time > stop) {
      std::fill(copy.begin() + at, copy.end(), 0);
      return at;
    }
    unfold_if_longer(copy[at], time, stop);
    at += length;
  }
  return block.end;
}

std::uint32_t end_of_written(const FinishedBlock& block, std::uint32_t from) {
  // The last word of a block is never used.
  while (from < KUTRACE_BLOCK_WORDS) {
    auto& first = const_cast<std::uint64_t&>(block.words[from]);
    const std::uint64_t word = std::atomic_ref(first).load(std::memory_order_acquire);
    const std::uint32_t end = from + entry_words(word);
    if (word == 0 || end > KUTRACE_BLOCK_WORDS) break;
    from = end;
  }
  return from;
}

std::vector<bool> may_outlast(const std::vector<FinishedBlock>& blocks, Ticks stop) {
  std::vector<bool> result(blocks.size());
  std::map<CpuId, Ticks> next_base;
  for (std::size_t i = blocks.size(); i-- > 0;) {
    const auto [next, is_last] = next_base.try_emplace(blocks[i].cpu, 0);
    result[i] = is_last || next->second > stop;
    next->second = blocks[i].base();
  }
  return result;
}

}  // namespace kutrace::record
