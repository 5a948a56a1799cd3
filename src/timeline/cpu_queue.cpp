// SPDX-License-Identifier: BSD-3-Clause
// Decoding one CPU's blocks ahead by a window and ordering within it.
#include "timeline/cpu_queue.h"

#include <algorithm>

#include "format/event_table.h"
#include "timeline/block_events.h"

namespace kutrace::timeline {

namespace {

// A late store lets at most the entries of the interrupts that delayed it pass; upstream traces
// and this recorder show fewer than 10.
constexpr std::size_t kRepairWindow = 64;
// Decoded at a time: what has left makes room once for as many.
constexpr std::size_t kChunk = 256;

// Nothing is recorded within a folded call: what has its time was to be stored before it.
Ns begin_of(const Event& event) { return event.time + (event.entry.fold_ticks > 1 ? 1 : 0); }

// Where what follows the event may stand in any case. Of remarks there is more to look at.
Ns in_order_from(const Event& event) {
  return event.entry.number < kBlockStart ? begin_of(event) : std::numeric_limits<Ns>::max();
}

}  // namespace

CpuQueue::CpuQueue(const CpuBlocks& blocks, const TraceLayout& layout,
                   decode::DecodeCounters& counters)
    : blocks_(&blocks),
      clock_(&layout.clock),
      counters_(&counters),
      begin_(layout.begin),
      end_(layout.end),
      complete_(layout.complete),
      wrapped_(layout.wrapped),
      decoder_(blocks.blocks.front().block, counters) {
  // More than refill() ever holds: a gap and a block's start may come behind its last entry.
  events_.resize(kChunk + 2 * kRepairWindow);
  refill();
}

void CpuQueue::refill() {
  std::move(events_.begin() + static_cast<std::ptrdiff_t>(head_),
            events_.begin() + static_cast<std::ptrdiff_t>(size_), events_.begin());
  size_ -= head_;
  head_ = 0;
  bool more = true;
  while (more && size_ < kChunk + kRepairWindow) {
    Event& event = events_[size_];
    if (!in_block_ || !decoder_.next(event.entry)) {
      more = start_next();
      continue;
    }
    place(event, blocks_->cpu, *clock_);
    ++size_;
    if (event.time >= in_order_from_) [[likely]] {
      in_order_from_ = begin_of(event);
    } else {
      order_last();
      in_order_from_ = in_order_from(events_[size_ - 1]);
    }
  }
  // The last ones may still be preceded by an entry that is not read yet. At the end nothing comes.
  ready_ = more ? size_ - kRepairWindow : size_;
}

// The next block, or what stands behind the last one. False: nothing does.
bool CpuQueue::start_next() {
  in_block_ = false;
  if (next_block_ == blocks_->blocks.size()) return end_with_gap();
  start_block();
  return true;
}

void CpuQueue::append(const Event& event) {
  events_[size_++] = event;
  in_order_from_ = in_order_from(event);
}

void CpuQueue::start_block() {
  const PlacedBlock& placed = blocks_->blocks[next_block_];
  const Block& block = placed.block;
  // Before the block's start, which it explains.
  remark_gap(placed, clock_->to_ns(block.base));
  Event event = block_start(block, blocks_->cpu, *clock_);
  // A block's start never precedes what the CPU recorded before it.
  if (size_ != 0) event.time = std::max(event.time, events_[size_ - 1].time);
  append(event);
  decoder_ = decode::BlockDecoder(block, *counters_);
  in_block_ = true;
  ++next_block_;
}

void CpuQueue::remark_gap(const PlacedBlock& placed, Ns base) {
  const bool first = next_block_ == 0;
  if (!placed.sequence) return;
  // A wrapped trace begins with whatever number its oldest block has.
  if (first && (*placed.sequence == 0 || wrapped_)) return;
  if (!first) {
    const auto& before = blocks_->blocks[next_block_ - 1].sequence;
    // Numbers ascend (TraceLayout), so any other one says that blocks between are missing.
    if (!before || *before + 1 == *placed.sequence) return;
  }
  Event event;
  event.time = size_ == 0 ? begin_ : events_[size_ - 1].time;
  event.duration = std::max<Ns>(0, base - event.time);
  event.cpu = blocks_->cpu;
  event.entry.number = kGap;
  append(event);
}

// What stood behind the last block is not known where blocks are missing.
bool CpuQueue::end_with_gap() {
  if (complete_ || size_ == 0 || events_[size_ - 1].entry.number == kGap) return false;
  Event event;
  event.time = events_[size_ - 1].time;
  // Until the recording's end, as far as it is known: whatever the CPU did was in blocks that are
  // gone.
  event.duration = end_ - event.time;
  event.cpu = blocks_->cpu;
  event.entry.number = kGap;
  if (event.duration <= 0) return false;
  append(event);
  return true;
}

// The event that was read last moves to where its time belongs.
void CpuQueue::order_last() {
  Event* const events = events_.data();
  std::size_t at = size_ - 1;
  // Never before what has left, nor farther than the window: an entry that is older still is
  // clamped where spans are made (`time_clamped`).
  const std::size_t stop = std::max(head_, at > kRepairWindow ? at - kRepairWindow : 0);
  const Ns time = events[at].time;
  // A block's start follows the entries of the block before it, unless one of this block is older
  // than those: it was to be stored there.
  const auto is_older = [&](std::size_t than) {
    const Event& other = events[than];
    return begin_of(other) > time && other.entry.number < kBlockStart;
  };
  const auto is_block_start = [&](std::size_t index) {
    return events[index].entry.number == kBlockStart;
  };
  const auto belongs_before = [&](std::size_t index) {
    return is_older(index) || (is_block_start(index) && index > stop && is_older(index - 1));
  };
  if (at == stop) return;
  if (belongs_before(at - 1)) {
    const Event event = events[at];
    do {
      events[at] = events[at - 1];
      --at;
    } while (at > stop && belongs_before(at - 1));
    events[at] = event;
  }
  if (at > stop && is_block_start(at - 1)) begin_block_earlier(at - 1, time);
}

// The counter in a block's header is often read after that of the block's first entry.
void CpuQueue::begin_block_earlier(std::size_t at, Ns time) {
  if (events_[at].time <= time) return;
  events_[at].time = time;
  if (at == 0 || events_[at - 1].entry.number != kGap) return;
  Event& gap = events_[at - 1];
  // The block is there from then on, so the loss before it ends there.
  gap.duration = std::min(gap.duration, std::max<Ns>(0, time - gap.time));
}

}  // namespace kutrace::timeline
