// SPDX-License-Identifier: BSD-3-Clause
// How long many spans lasted, in little memory. In: durations, ns; out: quantiles, at most 1/16
// off, as the buckets of base/duration_bucket.h are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/duration_bucket.h"
#include "base/prefetch.h"
#include "base/units.h"

namespace kutrace::reports {

// Counts by powers of two: counts[i] of durations from from(i) to below from(i + 1).
struct DurationPowers {
  unsigned first = 0;
  std::vector<std::uint64_t> counts;  // at least one; neither end is 0

  Ns from(std::size_t i) const { return i + first == 0 ? 0 : Ns{1} << (i + first - 1); }
};

class DurationHistogram {
 public:
  void add(Ns duration) {
    add_to(duration_bucket(duration));
    ++count_;
    longest_ = std::max(longest_, duration);
  }
  // Durations that are in these buckets; none of them is longer than `longest`.
  void add(std::span<const std::uint8_t> buckets, Ns longest);
  // Fetches what that will touch.
  void fetch(std::span<const std::uint8_t> buckets) const {
    for (const std::size_t bucket : buckets) {
      if (bucket < low_.size()) prefetch(&low_[bucket]);
    }
  }
  void merge(const DurationHistogram& other);

  // The duration that a share of `part` (0..1) of the spans does not exceed; 0 if there are none.
  Ns quantile(double part) const;
  DurationPowers powers() const;
  std::uint64_t count() const { return count_; }
  Ns longest() const { return longest_; }

  // The duration that stands for all of a bucket.
  static Ns middle_of(std::size_t bucket);

 private:
  void add_to(std::size_t bucket) {
    if (bucket >= low_.size()) [[unlikely]] {
      low_.resize(bucket + 1);
    }
    if (++low_[bucket] == 0) [[unlikely]]
      carry(bucket, 1);
  }
  void carry(std::size_t bucket, std::uint64_t times);
  // Spans in the bucket.
  std::uint64_t in(std::size_t bucket) const;

  // Most buckets of most histograms hold few, and there may be a histogram for each thread and
  // name: their low bits are all that is touched often, and stay in a cache.
  std::vector<std::uint8_t> low_;    // grown to the longest duration's
  std::vector<std::uint64_t> high_;  // by bucket, of 256; grown to the last one that needs it
  std::uint64_t count_ = 0;
  Ns longest_ = 0;
};

}  // namespace kutrace::reports
