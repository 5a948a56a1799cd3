// SPDX-License-Identifier: BSD-3-Clause
// One CPU's events in time order. In: its blocks, in the order of the layout; out: events with
// times in ns. An entry that was stored late is moved back to its time, but by at most 64 places.
// Memory is that window, whatever the trace's size.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "timeline/event.h"
#include "timeline/trace_layout.h"

namespace kutrace::timeline {

class CpuQueue {
 public:
  // There is at least one block. `counters` counts what was odd. All references must outlive this
  // object.
  CpuQueue(const CpuBlocks& blocks, const TraceLayout& layout, decode::DecodeCounters& counters);

  // The next event; null at the end. Valid until `pop`, which needs one.
  const Event* front() const { return head_ < ready_ ? &events_[head_] : nullptr; }
  void pop() {
    if (++head_ == ready_) refill();
  }

 private:
  void refill();
  void start_block();
  bool start_next();
  void append(const Event& event);
  void order_last();
  void begin_block_earlier(std::size_t at, Ns time);
  bool end_with_gap();
  void remark_gap(const PlacedBlock& placed, Ns base);

  const CpuBlocks* blocks_;
  const TraceClock* clock_;
  decode::DecodeCounters* counters_;
  Ns begin_;
  Ns end_;
  bool complete_;
  bool wrapped_;
  std::size_t next_block_ = 0;
  decode::BlockDecoder decoder_;
  bool in_block_ = false;
  // [head_, ready_) are in order, [ready_, size_) may still be preceded.
  std::vector<Event> events_;
  std::size_t head_ = 0;
  std::size_t ready_ = 0;
  std::size_t size_ = 0;
  // What is read next stands where it belongs if it is not older.
  Ns in_order_from_ = std::numeric_limits<Ns>::min();
};

}  // namespace kutrace::timeline
