// SPDX-License-Identifier: BSD-3-Clause
// All CPUs' events as one stream in time order: a k-way merge of nearly ordered queues.
// Equal times: lower CPU first, then buffer order.
#pragma once

#include <utility>
#include <vector>

#include "timeline/cpu_queue.h"

namespace kutrace::timeline {

class EventStream {
 public:
  explicit EventStream(const TraceLayout& layout);

  // Calls sink(const Event&) for the preamble, at layout.begin, and then for every event.
  template <typename Sink>
  void run(Sink&& sink) {
    for (const decode::Entry& entry : layout_->preamble) sink(preamble_event(entry));
    while (!heap_.empty()) {
      const std::size_t first = heap_.front().queue;
      CpuQueue& queue = queues_[first];
      const Key limit = second();
      const Event* next = queue.front();
      do {
        sink(*next);
        queue.pop();
        next = queue.front();
      } while (next != nullptr && Key{next->time, first} < limit);
      settle(next);
    }
  }

  const decode::DecodeCounters& counters() const { return counters_; }

 private:
  struct Key {
    Ns time;
    std::size_t queue;
    bool operator<(const Key& other) const {
      return time != other.time ? time < other.time : queue < other.queue;
    }
  };

  Event preamble_event(const decode::Entry& entry) const;
  Key key_of(std::size_t queue) const { return {queues_[queue].front()->time, queue}; }
  Key second() const;
  void settle(const Event* next);
  void sift_down(std::size_t at);

  const TraceLayout* layout_;
  decode::DecodeCounters counters_;
  std::vector<CpuQueue> queues_;
  std::vector<Key> heap_;  // smallest first
};

}  // namespace kutrace::timeline
