// SPDX-License-Identifier: BSD-3-Clause
// Histograms of durations beside counts of every bucket by themselves.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "base/duration_bucket.h"
#include "reports/duration_histogram.h"

namespace kutrace::reports {
namespace {

struct Counted {
  DurationHistogram histogram;
  std::map<std::size_t, std::uint64_t> buckets;
  std::uint64_t all = 0;
  Ns longest = 0;

  void add(Ns duration) {
    histogram.add(duration);
    ++buckets[duration_bucket(duration)];
    ++all;
    longest = std::max(longest, duration);
  }
  Ns quantile(double part) const {
    const double rank = std::max(1.0, std::ceil(part * static_cast<double>(all)));
    std::uint64_t seen = 0;
    for (const auto& [bucket, count] : buckets) {
      seen += count;
      if (static_cast<double>(seen) >= rank)
        return std::min(DurationHistogram::middle_of(bucket), longest);
    }
    return longest;
  }
};

void check_same(const Counted& counted) {
  CHECK(counted.histogram.count() == counted.all);
  CHECK(counted.histogram.longest() == counted.longest);
  for (const double part : {0.0, 0.001, 0.25, 0.5, 0.75, 0.95, 0.99, 0.9999, 1.0}) {
    CAPTURE(part);
    CHECK(counted.histogram.quantile(part) == counted.quantile(part));
  }
  std::uint64_t in_powers = 0;
  for (const std::uint64_t count : counted.histogram.powers().counts) in_powers += count;
  CHECK(in_powers == counted.all);
}

// Few that are met seldom and few that are met thousands of times, up to the longest time.
Ns drawn(std::mt19937_64& random) {
  if (random() % 4 != 0) return 700 + static_cast<Ns>(random() % 3);
  return static_cast<Ns>(random() >> (1 + random() % 63));
}

}  // namespace

TEST_CASE("a histogram counts each bucket, however often it is met") {
  std::mt19937_64 random(11);
  Counted one;
  check_same(one);
  for (const int times : {1, 254, 1, 1, 10'000}) {
    for (int i = 0; i < times; ++i) one.add(drawn(random));
    check_same(one);
  }
  for (const int times : {255, 256, 257, 70'000}) {
    Counted same;
    for (int i = 0; i < times; ++i) same.add(700);
    check_same(same);
  }
}

TEST_CASE("histograms merge into that of all their durations") {
  std::mt19937_64 random(12);
  for (const int most : {0, 3, 300, 5000}) {
    Counted all;
    DurationHistogram merged;
    for (int part = 0; part < 5; ++part) {
      DurationHistogram histogram;
      for (int i = 0; i < most; ++i) {
        const Ns duration = drawn(random);
        all.add(duration);
        histogram.add(duration);
      }
      merged.merge(histogram);
    }
    all.histogram = merged;
    check_same(all);
  }
}

TEST_CASE("durations are added by the dozen as one by one") {
  std::mt19937_64 random(13);
  Counted all;
  DurationHistogram dozens;
  for (int dozen = 0; dozen < 400; ++dozen) {
    std::vector<std::uint8_t> buckets;
    Ns longest = 0;
    for (int i = 0; i < 12; ++i) {
      const Ns duration = drawn(random) % 1'000'000'000;
      all.add(duration);
      buckets.push_back(static_cast<std::uint8_t>(duration_bucket(duration)));
      longest = std::max(longest, duration);
    }
    dozens.fetch(buckets);
    dozens.add(buckets, longest);
  }
  all.histogram = dozens;
  check_same(all);
}

}  // namespace kutrace::reports
