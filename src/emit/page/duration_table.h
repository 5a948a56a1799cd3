// SPDX-License-Identifier: BSD-3-Clause
// How long many spans lasted, by small numbers such as those of kinds: sums, and counts by bucket.
// In: number and duration, span by span; out: rows as columns (doc/page-format.md, Runs). A table
// that would not be small says so and takes no more.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/duration_bucket.h"
#include "base/units.h"
#include "emit/page/column.h"

namespace kutrace::emit {

class DurationTable {
 public:
  void add(std::uint32_t number, Ns duration) {
    Row* const row = row_of(number);
    const std::size_t bucket = duration_bucket(duration);
    if (row == nullptr || bucket >= kMostBuckets || duration < 0) [[unlikely]] {
      fits_ = false;
      return;
    }
    ++row->times[bucket];
    row->first = std::min(row->first, static_cast<std::uint16_t>(bucket));
    row->last = std::max(row->last, static_cast<std::uint16_t>(bucket));
    row->shortest = std::min(row->shortest, duration);
    row->longest = std::max(row->longest, duration);
    row->total += duration;
  }
  // False once it was given more numbers than it takes, or a duration that no reader takes.
  bool fits() const { return fits_; }
  // About so many bytes it takes, compressed.
  std::size_t cost() const;
  // Behind what there is; then only clear() may follow.
  void put_to(Column& out);
  // Empty again, with its room.
  void clear();

 private:
  // Readers count in doubles, which are exact below 2^53 ns.
  static constexpr std::size_t kMostBuckets = 408;
  static constexpr std::size_t kMostRows = 2048;
  static constexpr std::uint32_t kMostNumbers = 1u << 22;

  struct Row {
    std::uint32_t number = 0;
    std::uint16_t first = kMostBuckets - 1;  // of its buckets
    std::uint16_t last = 0;
    Ns shortest = std::numeric_limits<Ns>::max();
    Ns longest = 0;
    Ns total = 0;
    std::array<std::uint32_t, kMostBuckets> times{};
  };

  Row* row_of(std::uint32_t number) {
    if (number < places_.size() && places_[number] != 0) [[likely]] {
      return &rows_[places_[number] - std::size_t{1}];
    }
    return new_row(number);
  }
  Row* new_row(std::uint32_t number);

  std::vector<std::uint16_t> places_;  // by number: 1 + place among the rows
  std::vector<Row> rows_;
  bool fits_ = true;
};

}  // namespace kutrace::emit
