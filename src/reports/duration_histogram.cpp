// SPDX-License-Identifier: BSD-3-Clause
// Quantiles and powers of buckets.
#include "reports/duration_histogram.h"

#include <bit>
#include <cmath>

namespace kutrace::reports {

namespace {

constexpr std::uint64_t kLow = 256;

}  // namespace

Ns DurationHistogram::middle_of(std::size_t bucket) {
  return static_cast<Ns>(bucket_begin(bucket) + (std::uint64_t{1} << bucket_shift(bucket)) / 2);
}

void DurationHistogram::add(std::span<const std::uint8_t> buckets, Ns longest) {
  for (const std::size_t bucket : buckets) add_to(bucket);
  count_ += buckets.size();
  longest_ = std::max(longest_, longest);
}

void DurationHistogram::carry(std::size_t bucket, std::uint64_t times) {
  if (bucket >= high_.size()) high_.resize(bucket + 1);
  high_[bucket] += times;
}

std::uint64_t DurationHistogram::in(std::size_t bucket) const {
  return low_[bucket] + (bucket < high_.size() ? high_[bucket] * kLow : 0);
}

void DurationHistogram::merge(const DurationHistogram& other) {
  if (other.low_.size() > low_.size()) low_.resize(other.low_.size());
  for (std::size_t i = 0; i < other.low_.size(); ++i) {
    const std::uint64_t sum = low_[i] + other.in(i);
    low_[i] = static_cast<std::uint8_t>(sum % kLow);
    if (sum >= kLow) carry(i, sum / kLow);
  }
  count_ += other.count_;
  longest_ = std::max(longest_, other.longest_);
}

DurationPowers DurationHistogram::powers() const {
  std::vector<std::uint64_t> counts(1);
  for (std::size_t i = 0; i < low_.size(); ++i) {
    const auto power = static_cast<std::size_t>(std::bit_width(bucket_begin(i)));
    if (power >= counts.size()) counts.resize(power + 1);
    counts[power] += in(i);
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
  for (std::size_t i = 0; i < low_.size(); ++i) {
    seen += in(i);
    if (seen >= std::max<std::uint64_t>(1, rank)) return std::min(middle_of(i), longest_);
  }
  return longest_;
}

}  // namespace kutrace::reports
