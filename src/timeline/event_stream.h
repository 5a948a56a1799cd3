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

  // Calls sink(const Event&) for the preamble, at layout.begin, and then for every event;
  // soon(const Event&, Ahead) for most of those that the same CPU gives, first far, then near, but
  // only while soon.wanted().
  template <typename Sink, typename Soon>
  void run(Sink&& sink, Soon&& soon) {
    for (const decode::Entry& entry : layout_->preamble) sink(preamble_event(entry));
    while (!heap_.empty()) {
      const std::size_t first = heap_.front().queue;
      CpuQueue& queue = queues_[first];
      const Key limit = second();
      const Event* next = queue.front();
      do {
        if (soon.wanted()) foretell(queue, soon);
        sink(*next);
        queue.pop();
        next = queue.front();
      } while (next != nullptr && Key{next->time, first} < limit);
      settle(next);
    }
  }

  template <typename Sink>
  void run(Sink&& sink) {
    run(std::forward<Sink>(sink), NotWanted{});
  }

  const decode::DecodeCounters& counters() const { return counters_; }

 private:
  // Far enough for memory to answer, near enough to be still in the cache.
  static constexpr std::size_t kFar = 8;
  static constexpr std::size_t kNear = 4;

  struct NotWanted {
    static bool wanted() { return false; }
    void operator()(const Event& /*event*/, Ahead /*ahead*/) const {}
  };

  template <typename Soon>
  static void foretell(const CpuQueue& queue, Soon& soon) {
    if (const Event* const later = queue.ahead(kFar)) soon(*later, Ahead::kFar);
    if (const Event* const later = queue.ahead(kNear)) soon(*later, Ahead::kNear);
  }

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
