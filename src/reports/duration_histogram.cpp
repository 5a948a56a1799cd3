// SPDX-License-Identifier: BSD-3-Clause
// Buckets by leading bits.
#include "reports/duration_histogram.h"

#include <cmath>

namespace kutrace::reports {

// Buckets below 2 * kFine hold one duration each, all others 2^shift.
std::size_t DurationHistogram::shift_of(std::size_t bucket) { return (bucket >> kFineBits) - 1; }

std::uint64_t DurationHistogram::lowest_of(std::size_t bucket) {
  return (bucket - (shift_of(bucket) << kFineBits)) << shift_of(bucket);
}

Ns DurationHistogram::middle_of(std::size_t bucket) {
  if (bucket < 2 * kFine) return static_cast<Ns>(bucket);
  return static_cast<Ns>(lowest_of(bucket) + (std::uint64_t{1} << shift_of(bucket)) / 2);
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
    const auto power = static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(i < 2 * kFine ? i : lowest_of(i))));
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
