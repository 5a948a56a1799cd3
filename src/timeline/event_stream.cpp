// SPDX-License-Identifier: BSD-3-Clause
// The merge's heap.
#include "timeline/event_stream.h"

#include <algorithm>
#include <limits>

namespace kutrace::timeline {

EventStream::EventStream(const TraceLayout& layout) : layout_(&layout) {
  queues_.reserve(layout.cpus.size());
  for (const CpuBlocks& cpu : layout.cpus) {
    queues_.emplace_back(cpu, layout, counters_);
    if (queues_.back().front() != nullptr) heap_.push_back(key_of(queues_.size() - 1));
  }
  for (std::size_t at = heap_.size(); at-- > 0;) sift_down(at);
}

Event EventStream::preamble_event(const decode::Entry& entry) const {
  Event event;
  event.time = layout_->begin;
  event.cpu = kNoCpu;
  event.entry = entry;
  return event;
}

EventStream::Key EventStream::second() const {
  if (heap_.size() > 2) return std::min(heap_[1], heap_[2]);
  if (heap_.size() == 2) return heap_[1];
  return {std::numeric_limits<Ns>::max(), std::numeric_limits<std::size_t>::max()};
}

// The queue in front has `next` to give, or no more.
void EventStream::settle(const Event* next) {
  if (next == nullptr) {
    heap_.front() = heap_.back();
    heap_.pop_back();
  } else {
    heap_.front().time = next->time;
  }
  if (!heap_.empty()) sift_down(0);
}

void EventStream::sift_down(std::size_t at) {
  Key* const heap = heap_.data();
  const std::size_t size = heap_.size();
  const Key key = heap[at];
  for (std::size_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && heap[child + 1] < heap[child]) ++child;
    if (!(heap[child] < key)) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = key;
}

}  // namespace kutrace::timeline
