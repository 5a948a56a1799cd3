// SPDX-License-Identifier: BSD-3-Clause
// Reading blocks behind the one who writes them.
#include "live/cpu_reader.h"

#include <algorithm>
#include <cstddef>

#include "kutrace/abi.h"
#include "record/blocks/block_walk.h"
#include "timeline/block_events.h"

namespace kutrace::live {

namespace {

// What is not there after so many nanoseconds is not waited for: its time is told as a gap.
constexpr Ns kMostPatience = 2'000'000'000;

Block block_of(const record::FinishedBlock& raw) {
  Block block;
  block.words = reinterpret_cast<const std::byte*>(raw.words);
  block.header_words = KUTRACE_HEADER_WORDS;
  block.word_count = KUTRACE_HEADER_WORDS;
  block.cpu = raw.cpu;
  block.mhz = static_cast<std::uint32_t>(raw.words[2] >> 32);
  block.pid = static_cast<Pid>(raw.words[2] & 0xffff'ffff);
  block.base = raw.base();
  return block;
}

}  // namespace

void CpuReader::add(const record::FinishedBlock& block, bool is_finished) {
  const std::uint64_t sequence = block.sequence();
  if (expected_ && sequence < *expected_) return;  // was read
  Part& part = parts_[sequence];
  if (part.is_finished) return;
  // The decoder points to `part.block`, which stays where it is; only where its words stand
  // changes, when the block is finished.
  if (part.raw.words == nullptr) part.block = block_of(block);
  part.raw = block;
  part.block.words = reinterpret_cast<const std::byte*>(block.words);
  part.is_finished = is_finished;
}

// Events point into the block's words, so it is needed until the last of them has left.
bool CpuReader::is_done_with(std::uint64_t sequence) const {
  if (!expected_ || sequence >= *expected_) return false;
  return events_.empty() || events_.front().sequence > sequence;
}

void CpuReader::push(timeline::Event event) {
  // What was handed on is past: unlike in a file, nothing can be moved back before it.
  event.time = std::max(event.time, shown_);
  shown_ = event.time;
  events_.push_back({event, expected_.value_or(0)});
}

// False: what comes next is not there yet.
bool CpuReader::begin_next() {
  if (parts_.empty()) return false;
  // A stream that begins in the midst of a recording begins with the oldest block that it is given.
  if (!expected_) expected_ = parts_.begin()->first;
  const auto next = parts_.find(*expected_);
  if (next == parts_.end()) return false;
  Part& part = next->second;
  push(timeline::block_start(part.block, cpu_, *clock_));
  decoder_.emplace(part.block, counters_);
  last_ = std::max(last_, part.block.base);
  return true;
}

// Something in it was claimed and is not stored, as far as it is known. The CPU that writes to the
// next block is done with claiming here.
bool CpuReader::has_hole(const Part& part) const {
  return part.block.word_count < part.raw.end || parts_.size() > 1;
}

// Returns until when all is known. Other CPUs wait for this one, so one word that never comes must
// not stop them for good.
Ticks CpuReader::wait_or_give_up(Ticks until) {
  if (!waits_since_) waits_since_ = until;
  if (clock_->to_ns(until) - clock_->to_ns(*waits_since_) < kMostPatience) return last_;
  const auto next = parts_.upper_bound(*expected_);
  // Nothing is known to stand behind it, so the other CPUs need not wait.
  if (next == parts_.end()) return until;
  timeline::Event gap;
  gap.time = shown_;
  gap.cpu = cpu_;
  gap.entry.number = timeline::kGap;
  gap.duration = std::max<Ns>(0, clock_->to_ns(next->second.block.base) - shown_);
  push(gap);
  // The gap says what is passed over, so a reader takes it for lost as in a file.
  parts_.erase(parts_.begin(), next);
  expected_ = next->first;
  decoder_.reset();
  waits_since_.reset();
  return last_;
}

Ticks CpuReader::read(Ticks until) {
  for (;;) {
    if (!decoder_) {
      // The next block begins behind `until`, and none is missing before it: all is known.
      if (!parts_.empty() && expected_.value_or(parts_.begin()->first) == parts_.begin()->first &&
          parts_.begin()->second.block.base > until)
        return until;
      if (!begin_next()) return parts_.empty() ? until : wait_or_give_up(until);
    }
    Part& part = parts_.at(*expected_);
    part.block.word_count =
        part.is_finished ? part.raw.end : record::end_of_written(part.raw, decoder_->position());
    for (;;) {
      // One entry too far is put back: a decoder is a few words.
      const decode::BlockDecoder before = *decoder_;
      timeline::Event event;
      if (!decoder_->next(event.entry)) break;
      if (event.entry.time > until) {
        decoder_ = before;
        waits_since_.reset();
        return until;
      }
      last_ = std::max(last_, event.entry.time);
      timeline::place(event, cpu_, *clock_);
      push(event);
    }
    if (!part.is_finished) {
      // Behind a word that is claimed and not stored, later ones may stand; they wait for it, as
      // the order of a CPU's entries is that of claiming.
      if (has_hole(part)) return wait_or_give_up(until);
      waits_since_.reset();
      return until;
    }
    waits_since_.reset();
    parts_.erase(*expected_);
    ++*expected_;
    decoder_.reset();
  }
}

}  // namespace kutrace::live
