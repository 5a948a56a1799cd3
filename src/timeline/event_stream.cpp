// SPDX-License-Identifier: BSD-3-Clause
// The queues of the merge.
#include "timeline/event_stream.h"

#include <optional>
#include <thread>

namespace kutrace::timeline {

EventStream::EventStream(const TraceLayout& layout) : layout_(&layout) {
  queues_.reserve(layout.cpus.size());
  std::vector<std::optional<Ns>> times;
  for (const CpuBlocks& cpu : layout.cpus) {
    const Event* const first = queues_.emplace_back(cpu, layout, counters_).front();
    times.push_back(first != nullptr ? std::optional(first->time) : std::nullopt);
  }
  tree_.start(times);
}

bool EventStream::fill(Batch& batch) {
  batch.clear();
  batch.make_room();
  while (!tree_.over() && !batch.full()) {
    CpuQueue& queue = queues_[tree_.first()];
    const Event* next = queue.front();
    do {
      batch.add(*next);
      queue.pop();
      next = queue.front();
    } while (next != nullptr && !batch.full() && tree_.stays_first(next->time));
    if (next != nullptr) {
      tree_.goes_on(next->time);
    } else {
      tree_.ends();
    }
  }
  return batch.size() != 0;
}

bool EventStream::has_other_cpus() { return std::thread::hardware_concurrency() > 1; }

Event EventStream::preamble_event(const decode::Entry& entry) const {
  Event event;
  event.time = layout_->begin;
  event.cpu = kNoCpu;
  event.entry = entry;
  return event;
}

}  // namespace kutrace::timeline
