// SPDX-License-Identifier: BSD-3-Clause
// The overview of the page: how each CPU and thread spent each slice of the whole trace.
// In: execution spans in time order per row, and waits; out: shares per bucket, few enough to draw
// at once.
//
// A bucket's width doubles whenever the trace outgrows the number of buckets, so that nothing need
// be known in advance and memory stays bounded. A kind that occurs in a bucket never rounds to 0.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emit/column.h"
#include "emit/page_tables.h"
#include "emit/slices.h"
#include "spans/span.h"

namespace kutrace {

class Overview {
 public:
  // Counts from the start of the first span that is added.
  Overview(std::size_t most_cpu_buckets, std::size_t most_thread_buckets);

  void add(const Span& span, KindIndex kind, ThreadIndex thread);
  // A wait that began and ended within a slab; longer ones every view draws as they are.
  void add_wait(Ns start, Ns duration, EventNum event, ThreadIndex number);
  // Halves the number of buckets until there are at most these many; to be called once, before
  // encode().
  void shrink(std::size_t cpu_buckets, std::size_t thread_entries);
  Column encode(Ns end) const;

 private:
  struct Bucket {
    std::array<float, kExecutionKinds> time{};
    std::uint32_t spans = 0;
    KindIndex top = 0;
    float top_time = 0;
  };
  // A thread's waits come in time order, too, but those of a slab after all its execution.
  struct Thread {
    Slices execution;
    Slices waits;
  };

  void widen_cpus();
  void widen_threads();
  void add_to_cpu(const Span& span, KindIndex kind);
  void add_to_thread(const Span& span, ThreadIndex number);
  Thread& thread(ThreadIndex number);
  std::vector<Bucket>& cpu(CpuId number);

  Ns begin_ = 0;
  bool started_ = false;
  Ns cpu_width_ = 1024;
  Ns thread_width_ = 1024;
  std::size_t most_cpu_buckets_;
  std::size_t most_thread_buckets_;
  std::map<CpuId, std::vector<Bucket>> cpus_;
  std::pair<CpuId, std::vector<Bucket>*> last_cpu_{kNoCpu, nullptr};
  std::vector<Thread> threads_;  // by ThreadIndex
};

}  // namespace kutrace
