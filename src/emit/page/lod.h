// SPDX-License-Identifier: BSD-3-Clause
// The overview of the page: how each CPU and thread spent each slice of the whole trace.
// In: execution spans in time order per CPU and thread, and waits; what CPUs did is counted
// elsewhere (see cpu_overview.h); out: shares per bucket, few enough to draw at once, and each
// thread's sums.
//
// A thread runs on a CPU for several spans on end: as long as they stay within one bucket, they are
// summed up there, and the thread's row is looked up once for all of them.
//
// A bucket's width doubles whenever the trace outgrows the number of buckets, or threads have too
// many slices, so that nothing need be known in advance and memory stays bounded. A kind that
// occurs in a bucket never rounds to 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/cpu_overview.h"
#include "emit/page/page_tables.h"
#include "emit/page/slab_span.h"
#include "emit/page/slices.h"

namespace kutrace::emit {

// What a thread did on CPUs.
struct ThreadTotal {
  Ns user = 0;    // in user mode, or as a kernel thread
  Ns kernel = 0;  // in calls, faults, interrupts and the scheduler
  std::uint64_t spans = 0;
};

class Overview {
 public:
  // Counts from the start of the first span that is added.
  explicit Overview(std::size_t most_buckets);

  // An execution. finish() comes after the last of several.
  void add(const SlabSpan& span) {
    if (span.cpu >= runs_.size()) [[unlikely]] {
      runs_.resize(span.cpu + std::size_t{1});
    }
    Run& run = runs_[span.cpu];
    if (span.thread != run.thread || span.end() > run.until) [[unlikely]] {
      begin_run(run, span);
    }
    run.time[mode_of(span.what)] += span.duration;
    ++run.spans;
  }
  void finish();
  // So much time was waited by all threads, which add_wait() tells next: where that is too much for
  // the buckets that there are, they become wider before it is told.
  void expect_waits(Ns time);
  // A wait that began and ended within a slab; longer ones every view draws as they are.
  void add_wait(const SlabOverlay& wait);
  // After finish().
  ThreadTotal total(ThreadIndex thread) const {
    return thread < totals_.size() ? totals_[thread] : ThreadTotal();
  }
  // Halves the number of buckets until there are at most these many; to be called once, before
  // encode().
  void shrink(std::size_t thread_entries);
  Column encode(const CpuOverview& cpus, Ns end) const;

 private:
  // Sorts of time in a slice, see WorkSlice.
  enum Mode : std::uint8_t { kOfUser, kOfKernel, kOfInterrupts, kModes };
  static constexpr std::size_t mode_of(SpanKind kind) {
    return is_user(kind) ? kOfUser : is_interrupt(kind) ? kOfInterrupts : kOfKernel;
  }
  static constexpr Ns kNothing = std::numeric_limits<Ns>::min();
  static constexpr Ns kAll = std::numeric_limits<Ns>::max();

  // What a CPU does for a thread, as long as it stays in one bucket.
  struct Run {
    ThreadIndex thread = kIdleThread;
    std::uint32_t bucket = 0;
    Ns until = kNothing;  // the bucket's end; kAll where the thread has no row
    std::array<Ns, kModes> time{};
    std::uint64_t spans = 0;
  };

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
  void put_threads(Column& out) const;
  std::size_t count_slices() const;
  std::size_t count_buckets() const;
  // Idle, and what is no thread's, has none.
  static bool has_row(ThreadIndex thread) { return thread != kIdleThread && thread != kNoThread; }
  void begin_run(Run& run, const SlabSpan& span);
  void finish_run(Run& run);
  Ns end_of(std::uint32_t bucket) const;
  ThreadTotal& totals_of(ThreadIndex number) {
    if (number >= totals_.size()) [[unlikely]] {
      totals_.resize(number + std::size_t{1});
    }
    return totals_[number];
  }
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
  std::vector<Run> runs_;            // by CPU
  std::vector<Thread> threads_;      // by ThreadIndex
  std::vector<ThreadTotal> totals_;  // likewise
};

}  // namespace kutrace::emit
