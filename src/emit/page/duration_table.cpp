// SPDX-License-Identifier: BSD-3-Clause
// Rows to columns, see duration_table.h.
#include "emit/page/duration_table.h"

#include <utility>

namespace kutrace::emit {
namespace {

// What a row and a bucket of it cost, measured on pages of made traces.
constexpr std::size_t kRowBytes = 6;
constexpr std::size_t kBucketBytes = 1;

}  // namespace

DurationTable::Row* DurationTable::new_row(std::uint32_t number) {
  if (!fits_ || rows_.size() == kMostRows || number >= kMostNumbers) return nullptr;
  if (number >= places_.size()) places_.resize(number + std::size_t{1});
  rows_.emplace_back().number = number;
  places_[number] = static_cast<std::uint16_t>(rows_.size());
  return &rows_.back();
}

std::size_t DurationTable::cost() const {
  std::size_t bytes = rows_.size() * kRowBytes;
  for (const Row& row : rows_) {
    const auto used = std::ranges::count_if(row.times, [](auto times) { return times != 0; });
    bytes += static_cast<std::size_t>(used) * kBucketBytes;
  }
  return bytes;
}

// What a bucket says of a duration is not said again: shortest, longest and total are what is over.
void DurationTable::put_to(Column& out) {
  std::ranges::sort(rows_, {}, &Row::number);
  Column numbers, counts, shortest, longest, totals, buckets, times;
  std::uint32_t before = 0;
  for (const Row& row : rows_) {
    numbers.put(row.number - std::exchange(before, row.number));
    shortest.put(static_cast<std::uint64_t>(row.shortest) - bucket_begin(row.first));
    longest.put(static_cast<std::uint64_t>(row.longest) - bucket_begin(row.last));
    std::uint64_t least = 0;
    std::uint64_t used = 0;
    std::size_t last = 0;
    for (std::size_t bucket = row.first; bucket <= row.last; ++bucket) {
      if (row.times[bucket] == 0) continue;
      buckets.put(bucket - std::exchange(last, bucket));
      times.put(row.times[bucket] - 1);
      least += row.times[bucket] * bucket_begin(bucket);
      ++used;
    }
    counts.put(used);
    totals.put(static_cast<std::uint64_t>(row.total) - least);
  }
  out.put(rows_.size());
  for (const Column* column : {&numbers, &counts, &shortest, &longest, &totals, &buckets, &times}) {
    out.put_column(*column);
  }
}

void DurationTable::clear() {
  for (const Row& row : rows_) places_[row.number] = 0;
  rows_.clear();
  fits_ = true;
}

}  // namespace kutrace::emit
