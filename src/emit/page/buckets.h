// SPDX-License-Identifier: BSD-3-Clause
// Slices of time of equal width, a power of two. In: an interval; out: its part of each slice.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/units.h"

namespace kutrace::emit {

// Two of them hold any trace: wider ones are not needed, and their ends have no number.
inline constexpr Ns kWidestBucket = Ns{1} << 62;

// Calls visit(bucket, part) for each bucket that the interval touches; in place of those that it
// fills, whole(first, last) once, unless that returns false.
template <typename Visit, typename Whole>
void split_to_buckets(Ns start, Ns duration, Ns begin, Ns width, Visit visit, Whole whole) {
  const Ns from = std::max<Ns>(start - begin, 0);
  const Ns to = std::max(start + duration - begin, from);
  const int shift = std::countr_zero(static_cast<std::uint64_t>(width));
  const Ns first = from >> shift;
  const Ns last = std::max(first, (to - 1) >> shift);
  if (first == last) [[likely]] {
    return visit(static_cast<std::size_t>(first), static_cast<float>(to - from));
  }
  visit(static_cast<std::size_t>(first), static_cast<float>((first + 1) * width - from));
  const bool has_whole = last - first > 1;
  if (!has_whole ||
      !whole(static_cast<std::size_t>(first) + 1, static_cast<std::size_t>(last) - 1)) {
    for (Ns bucket = first + 1; bucket < last; ++bucket) {
      visit(static_cast<std::size_t>(bucket), static_cast<float>(width));
    }
  }
  visit(static_cast<std::size_t>(last), static_cast<float>(to - last * width));
}

template <typename Visit>
void split_to_buckets(Ns start, Ns duration, Ns begin, Ns width, Visit visit) {
  split_to_buckets(start, duration, begin, width, visit,
                   [](std::size_t /*first*/, std::size_t /*last*/) { return false; });
}

// The longest time that `most` of them cover; width times number may be more than a number holds.
constexpr Ns covered_time(Ns width, std::size_t most) {
  constexpr Ns kLongest = std::numeric_limits<Ns>::max();
  return static_cast<Ns>(most) > kLongest / width ? kLongest : width * static_cast<Ns>(most);
}

// Where a bucket ends; the last one of a trace may end after all times that there are, and then
// ends with them.
constexpr Ns end_of_bucket(std::size_t bucket, Ns begin, Ns width) {
  Ns end = 0;
  const bool is_over = __builtin_mul_overflow(width, static_cast<Ns>(bucket) + 1, &end) ||
                       __builtin_add_overflow(end, begin, &end);
  return is_over ? std::numeric_limits<Ns>::max() : end;
}

// How many it takes to cover a length of time.
constexpr std::uint64_t bucket_count(Ns length, Ns width) {
  return length <= 0 ? 1 : static_cast<std::uint64_t>((length - 1) / width) + 1;
}

// What shares of a bucket of that width are times to be multiplied by. Exact: it is a power of two.
inline float share_scale(Ns width) { return 1.0f / static_cast<float>(width); }

// 0 stays 0, everything else is at least 1 of 255.
inline std::uint8_t bucket_share(float time, float scale) {
  if (time <= 0) return 0;
  const float scaled = 255.0f * time * scale;
  return static_cast<std::uint8_t>(std::clamp(scaled + 0.5f, 1.0f, 255.0f));
}

}  // namespace kutrace::emit
