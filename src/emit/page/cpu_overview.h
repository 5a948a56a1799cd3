// SPDX-License-Identifier: BSD-3-Clause
// The CPUs' part of the page's overview: how each spent each slice of the whole trace.
// In: what CPUs did, per CPU in time order; out: shares per bucket.
//
// A bucket's width doubles whenever the trace outgrows the number of buckets, so that nothing need
// be known in advance and memory stays bounded. A kind that occurs in a bucket never rounds to 0.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/slab_span.h"

namespace kutrace::emit {

class CpuOverview {
 public:
  explicit CpuOverview(std::size_t most_buckets) : most_buckets_(most_buckets) {}

  // Buckets count from here, if nothing was added before.
  void begin_at(Ns begin) {
    if (spans_ == 0) begin_ = begin;
  }
  // So many spans come, of which some are this CPU's: before add().
  void expect(CpuId cpu, std::size_t spans);
  // What its CPU did next.
  void add(const SlabSpan& span) {
    Row& row = *by_number_[span.cpu];
    if (span.end() > row.until) [[unlikely]] {
      return add_across(row, span);
    }
    add_part(*row.now, span, static_cast<float>(span.duration));
  }
  // Halves the number of buckets until there are at most so many, or no wider ones.
  void shrink(std::size_t buckets);

  // Whether any span tells its instructions per cycle or cache misses.
  bool has_ipc() const { return has_ipc_; }
  void put_widths(Ns end, Column& out) const;
  void put_buckets(Column& out) const;

 private:
  struct Bucket {
    std::array<float, kExecutionKinds> time{};
    std::uint32_t spans = 0;
    KindIndex top = 0;
    float top_time = 0;
    float ipc = 0;       // times ns
    float ipc_time = 0;  // ns in which it was counted
  };

  struct Row {
    std::vector<Bucket> buckets;
    Bucket* now = nullptr;  // the last one that a span reached
    Ns until = kNothing;    // its end
  };
  static constexpr Ns kNothing = std::numeric_limits<Ns>::min();

  // So many buckets all CPUs may have, 64 bytes each, or so many each where CPUs are many; and one
  // for some spans each.
  static constexpr std::size_t kMostOfAll = 131072;
  static constexpr std::size_t kFewestOfMany = 2048;
  static constexpr std::size_t kSpansPerBucket = 64;

  // After the width, or the number of CPUs or spans, changed.
  void set_covered();
  void widen();
  void add_across(Row& row, const SlabSpan& span);
  void add_part(Bucket& bucket, const SlabSpan& span, float part) {
    bucket.time[static_cast<std::size_t>(span.what)] += part;
    ++bucket.spans;
    if (span.ipc > 0) add_ipc(bucket, span, part);
    if (!is_idle(span.what) && part > bucket.top_time) {
      bucket.top = span.kind + 1;
      bucket.top_time = part;
    }
  }
  void add_ipc(Bucket& bucket, const SlabSpan& span, float part);

  Ns begin_ = 0;
  Ns width_ = 1024;
  Ns covered_ = 0;  // by as many buckets as each CPU may have
  bool has_ipc_ = false;
  std::size_t most_buckets_;
  std::size_t spans_ = 0;
  std::map<CpuId, Row> cpus_;
  std::vector<Row*> by_number_;  // the same; null for none
};

}  // namespace kutrace::emit
