// SPDX-License-Identifier: BSD-3-Clause
// Buckets of durations, eighths of powers of two: what stands for a duration is at most 1/16 off.
// In: a duration, or a bucket; out: its bucket, or where it begins.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace kutrace {

constexpr unsigned kBucketBits = 3;
constexpr std::uint64_t kFineBuckets = 1u << kBucketBits;  // of each power of two

// 0..7 have buckets of their own; from there on, the 3 bits below the leading one count.
constexpr std::size_t duration_bucket(Ns duration) {
  const auto value = static_cast<std::uint64_t>(std::max<Ns>(0, duration));
  if (value < kFineBuckets) return value;
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kBucketBits;
  return (std::size_t{shift} << kBucketBits) + (value >> shift);
}

// Buckets below 2 * kFineBuckets hold one duration each, all others 2^shift.
constexpr std::size_t bucket_shift(std::size_t bucket) {
  return bucket < 2 * kFineBuckets ? 0 : (bucket >> kBucketBits) - 1;
}

constexpr std::uint64_t bucket_begin(std::size_t bucket) {
  const std::size_t shift = bucket_shift(bucket);
  return (bucket - (shift << kBucketBits)) << shift;
}

}  // namespace kutrace
