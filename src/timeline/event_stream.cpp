// SPDX-License-Identifier: BSD-3-Clause
// The merge's heap.
#include "timeline/event_stream.h"

#include <algorithm>
#include <limits>

namespace kutrace {

EventStream::EventStream(const TraceLayout& layout) : layout_(&layout) {
  queues_.reserve(layout.cpus.size());
  for (const CpuBlocks& cpu : layout.cpus) {
    queues_.emplace_back(cpu, layout, counters_);
    if (queues_.back().front() != nullptr) heap_.push_back(key_of(queues_.size() - 1));
  }
  for (std::size_t at = heap_.size(); at-- > 0;) sift_down(at);
}

Event EventStream::preamble_event(const Entry& entry) const {
  Event event;
  event.time = layout_->begin;
  event.cpu = kNoCpu;
  event.entry = entry;
  return event;
}

EventStream::Key EventStream::second() const {
  Key least{std::numeric_limits<Ns>::max(), std::numeric_limits<std::size_t>::max()};
  for (std::size_t child = 1; child <= 2 && child < heap_.size(); ++child) {
    if (heap_[child] < least) least = heap_[child];
  }
  return least;
}

void EventStream::settle() {
  const std::size_t queue = heap_.front().queue;
  if (queues_[queue].front() == nullptr) {
    heap_.front() = heap_.back();
    heap_.pop_back();
  } else {
    heap_.front() = key_of(queue);
  }
  if (!heap_.empty()) sift_down(0);
}

void EventStream::sift_down(std::size_t at) {
  for (;;) {
    std::size_t least = at;
    for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child) {
      if (heap_[child] < heap_[least]) least = child;
    }
    if (least == at) return;
    std::swap(heap_[at], heap_[least]);
    at = least;
  }
}

}  // namespace kutrace
