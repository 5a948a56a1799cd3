// SPDX-License-Identifier: BSD-3-Clause
// Quantiles and powers of buckets.
#include "reports/duration_histogram.h"

#include <bit>
#include <cmath>

namespace kutrace::reports {

Ns DurationHistogram::middle_of(std::size_t bucket) {
  return static_cast<Ns>(bucket_begin(bucket) + (std::uint64_t{1} << bucket_shift(bucket)) / 2);
}

void DurationHistogram::merge(const DurationHistogram& other) {
  if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  longest_ = std::max(longest_, other.longest_);
}

DurationPowers DurationHistogram::powers() const {
  std::vector<std::uint64_t> counts(1);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const auto power = static_cast<std::size_t>(std::bit_width(bucket_begin(i)));
    if (power >= counts.size()) counts.resize(power + 1);
    counts[power] += buckets_[i];
  }
  const auto is_used = [](std::uint64_t count) { return count != 0; };
  const auto first = std::ranges::find_if(counts, is_used);
  if (first == counts.end()) return {0, {0}};
  DurationPowers powers;
  powers.first = static_cast<unsigned>(first - counts.begin());
  while (counts.back() == 0) counts.pop_back();
  powers.counts.assign(first, counts.end());
  return powers;
}

Ns DurationHistogram::quantile(double part) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= std::max<std::uint64_t>(1, rank)) return std::min(middle_of(i), longest_);
  }
  return longest_;
}

}  // namespace kutrace::reports
