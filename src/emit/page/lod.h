// SPDX-License-Identifier: BSD-3-Clause
// The overview of the page: how each CPU and thread spent each slice of the whole trace.
// In: execution spans in time order per thread, and waits; what CPUs did is counted elsewhere (see
// cpu_overview.h); out: shares per bucket, few enough to draw at once.
//
// A bucket's width doubles whenever the trace outgrows the number of buckets, or threads have too
// many slices, so that nothing need be known in advance and memory stays bounded. A kind that
// occurs in a bucket never rounds to 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/cpu_overview.h"
#include "emit/page/page_tables.h"
#include "emit/page/slices.h"
#include "model/span.h"

namespace kutrace::emit {

class Overview {
 public:
  // Counts from the start of the first span that is added.
  explicit Overview(std::size_t most_buckets);

  void add(const Span& span, ThreadIndex thread);
  // A wait that began and ended within a slab; longer ones every view draws as they are.
  void add_wait(Ns start, Ns duration, EventNum event, ThreadIndex number);
  // Halves the number of buckets until there are at most these many; to be called once, before
  // encode().
  void shrink(std::size_t thread_entries);
  // The rows of threads, which encode() takes.
  Column encode_threads() const;
  Column encode(const CpuOverview& cpus, const Column& threads, Ns end) const;

 private:
  // A thread's waits come in time order, too, but those of a slab after all its execution.
  struct Thread {
    Slices<WorkSlice> work;
    Slices<WaitSlice> waits;

    // Buckets in which it did the one or the other.
    std::size_t buckets() const;
  };

  // So many slices all threads may have, 16 bytes each: one for some spans, within bounds, or so
  // many each where threads are many.
  static constexpr std::size_t kSpansPerSlice = 8;
  static constexpr std::size_t kFewestSlices = 32768;
  static constexpr std::size_t kMostSlices = 262144;
  static constexpr std::size_t kSlicesPerThread = 16;

  void widen_threads();
  // Buckets that reach to `end`.
  void reach(Ns end) {
    while (end - begin_ > covered_) widen_threads();
  }
  // A row has so many slices more; wider ones if all rows have too many now.
  void grown(std::size_t slices) {
    slices_ += slices;
    if (slices_ > most_slices()) [[unlikely]] {
      widen_threads();
    }
  }
  std::size_t most_slices() const {
    return std::max(std::clamp(spans_ / kSpansPerSlice, kFewestSlices, kMostSlices),
                    kSlicesPerThread * threads_.size());
  }
  std::size_t count_slices() const;
  std::size_t count_buckets() const;
  void add_to_thread(const Span& span, ThreadIndex number);
  Thread& thread(ThreadIndex number) {
    if (number >= threads_.size()) [[unlikely]] {
      threads_.resize(number + std::size_t{1});
    }
    return threads_[number];
  }

  Ns begin_ = 0;
  bool started_ = false;
  Ns thread_width_ = 1024;
  Ns covered_ = 0;  // by as many buckets as there may be
  std::size_t most_thread_buckets_;
  std::size_t spans_ = 0;
  std::size_t slices_ = 0;
  std::vector<Thread> threads_;  // by ThreadIndex
};

}  // namespace kutrace::emit
