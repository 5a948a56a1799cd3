// SPDX-License-Identifier: BSD-3-Clause
// All CPUs' events as one stream in time order: a k-way merge of nearly ordered queues.
// Equal times: lower CPU first, then buffer order.
#pragma once

#include <utility>
#include <vector>

#include "timeline/cpu_queue.h"
#include "timeline/merge_tree.h"

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
    while (!tree_.over()) {
      CpuQueue& queue = queues_[tree_.first()];
      if (soon.wanted()) foretell(queue, soon);
      sink(*queue.front());
      queue.pop();
      if (const Event* const next = queue.front()) {
        tree_.goes_on(next->time);
      } else {
        tree_.ends();
      }
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

  Event preamble_event(const decode::Entry& entry) const;

  const TraceLayout* layout_;
  decode::DecodeCounters counters_;
  std::vector<CpuQueue> queues_;
  MergeTree tree_;
};

}  // namespace kutrace::timeline
