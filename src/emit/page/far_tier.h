// SPDX-License-Identifier: BSD-3-Clause
// What the page draws of overlays from afar, where single ones are not at hand: few enough of each
// sort to draw at once. In: overlays, those of a row mostly in order of their ends; out: the same
// if they are few, else one for each slice of time of each row.
//
// Slices grow as the overlays do, so that nothing need be known in advance and memory stays
// bounded: by the number asked for; where there are many rows, by two slices a row up to four times
// that number; else by one slice a row, for no row can have less. The longest of a slice stands for
// all of it. Samples and frequencies reach from the first begin to the last end, and a frequency is
// the mean over time. Above that number of rows, marks and samples of a thread are one row on all
// CPUs that it had none on before; there the longest sample stays as it was.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/chunked.h"
#include "base/recent_index.h"
#include "emit/page/slab.h"

namespace kutrace::emit {

class FarTier {
 public:
  explicit FarTier(std::size_t most) : most_(most) {}

  // Many at a time: with many rows what is looked up lies anywhere in memory, and is fetched ahead.
  void add(std::span<const SlabOverlay* const> spans);
  std::uint64_t added() const { return added_; }
  // Row by row, in the order of their first overlays; nothing is left.
  std::vector<SlabOverlay> take();

 private:
  struct Slice {
    SlabOverlay span;  // the longest, from the first begin on
    Ns end = 0;        // of the last
    Ns longest = 0;
    double product = 0;  // of arguments and durations
    double time = 0;
    std::uint32_t next = kNone;  // of the row; of a free one, the next free one
    bool continuous = false;     // those of a row follow one another and can become one
  };
  // A row's slices, in order.
  struct Slices {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  using Row = std::pair<std::uint64_t, std::uint64_t>;
  struct RowHash {
    std::size_t operator()(const Row& row) const {
      return static_cast<std::size_t>(
          (row.first + (row.second << 32 | row.second >> 32)) * 0x9e3779b97f4a7c15ull >> 32);
    }
  };

  // Where one is added.
  struct Place {
    std::uint32_t row = 0;
    bool of_one_cpu = true;
  };

  static Row row_of(const SlabOverlay& span);
  Place place_of(const SlabOverlay& span);
  static void merge(Slice& into, const Slice& from);
  bool is_in_last(const Slice& last, const Slice& slice) const;
  static SlabOverlay whole(const Slice& slice);
  static Slice slice_of(const SlabOverlay& span, bool of_one_cpu);
  void put(Slices& row, const Slice& slice);
  std::uint32_t new_place();
  void free_next(Slice& before);
  void widen();
  void shrink();
  std::size_t budget() const;

  static constexpr std::size_t kMostForRows = 4;  // times what was asked for
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::size_t most_;
  std::size_t size_ = 0;
  std::uint64_t added_ = 0;
  Ns width_ = 0;  // of a slice; 0: nothing is put together
  RecentIndex<Row, RowHash, 1024> numbers_;
  std::vector<Place> added_to_;  // of one add()
  std::vector<Slices> rows_;     // by number
  Chunked<Slice> slices_;        // of all rows: there may be very many of few slices each
  std::uint32_t free_ = kNone;
};

}  // namespace kutrace::emit
