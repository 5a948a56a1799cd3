// SPDX-License-Identifier: BSD-3-Clause
// All CPUs' events as one stream. In: a layout; out: each event, in time order; at equal times, the
// lower CPU first, then the order of the buffer. A k-way merge of nearly ordered queues. Where the
// machine has a second CPU, a thread decodes and merges ahead of the caller; what comes out is the
// same.
#pragma once

#include <utility>
#include <vector>

#include "base/made_ahead.h"
#include "base/merge_tree.h"
#include "base/prefetch.h"
#include "timeline/cpu_queue.h"

namespace kutrace::timeline {

class EventStream {
 public:
  // The layout, and the file that it points into, must outlive this object.
  explicit EventStream(const TraceLayout& layout);

  // Once. Calls sink(const Event&) for each entry of the preamble, at layout.begin, then for every
  // event. Calls soon(const Event&, Ahead) for most events before they come, first far, then near,
  // as long as soon.wanted(). What `sink` throws ends the run.
  template <typename Sink, typename Soon>
  void run(Sink&& sink, Soon&& soon) {
    for (const decode::Entry& entry : layout_->preamble) sink(preamble_event(entry));
    Batch batch;
    if (!fill(batch)) return;
    hand_on(batch, sink, soon);
    if (tree_.over()) return;
    if (!has_other_cpus()) {
      while (fill(batch)) hand_on(batch, sink, soon);
      return;
    }
    MadeAhead<Batch> batches([this](Batch& empty) { return fill(empty); }, kMostReady);
    while (batches.take(batch)) hand_on(batch, sink, soon);
  }

  template <typename Sink>
  void run(Sink&& sink) {
    run(std::forward<Sink>(sink), NotWanted{});
  }

  // What was odd in the blocks; complete when `run` has ended.
  const decode::DecodeCounters& counters() const { return counters_; }

 private:
  // Far enough for memory to answer, near enough to be still in the cache.
  static constexpr std::size_t kFar = 16;
  static constexpr std::size_t kNear = 8;
  static constexpr std::size_t kMostReady = 8;

  // Events that go on together. Its memory is used again when they are gone.
  class Batch {
   public:
    void clear() { size_ = 0; }
    std::size_t size() const { return size_; }
    bool full() const { return size_ == kMost; }
    const Event& operator[](std::size_t at) const { return events_[at]; }
    // Only if it is not full.
    void add(const Event& event) { events_[size_++] = event; }
    // Comes before the first.
    void make_room() {
      if (events_.empty()) events_.resize(kMost);
    }

   private:
    // It stays in the second-level cache.
    static constexpr std::size_t kMost = 2048;

    std::vector<Event> events_;
    std::size_t size_ = 0;
  };

  struct NotWanted {
    static bool wanted() { return false; }
    void operator()(const Event& /*event*/, Ahead /*ahead*/) const {}
  };

  template <typename Sink, typename Soon>
  static void hand_on(const Batch& batch, Sink& sink, Soon& soon) {
    const std::size_t count = batch.size();
    if (!soon.wanted()) {
      for (std::size_t at = 0; at < count; ++at) sink(batch[at]);
      return;
    }
    for (std::size_t at = 0; at < count; ++at) {
      if (at + kFar < count) soon(batch[at + kFar], Ahead::kFar);
      if (at + kNear < count) soon(batch[at + kNear], Ahead::kNear);
      sink(batch[at]);
    }
  }

  // The next events into an empty batch; false: there are no more.
  bool fill(Batch& batch);
  static bool has_other_cpus();
  Event preamble_event(const decode::Entry& entry) const;

  const TraceLayout* layout_;
  decode::DecodeCounters counters_;
  std::vector<CpuQueue> queues_;
  MergeTree tree_;
};

}  // namespace kutrace::timeline
