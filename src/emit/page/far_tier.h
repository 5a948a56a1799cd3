// SPDX-License-Identifier: BSD-3-Clause
// What the page draws of overlays from afar, where single ones are not at hand: few enough of each
// sort to draw at once. In: overlays, those of a row mostly in order of their ends; out: the same
// if they are few, else one for each slice of time of each row.
//
// Slices grow as the overlays do, so that nothing need be known in advance and memory stays
// bounded: by the number asked for, or by two slices a row where there are very many rows, for no
// row can have less than one. The longest of a slice stands for all of it. Samples and frequencies
// reach from the first begin to the last end, and a frequency is the mean over time.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emit/page/slab.h"

namespace kutrace::emit {

class FarTier {
 public:
  explicit FarTier(std::size_t most) : most_(most) {}

  void add(const SlabSpan& span);
  std::uint64_t added() const { return added_; }
  // Row by row; nothing is left.
  std::vector<SlabSpan> take();

 private:
  struct Slice {
    SlabSpan span;  // the longest, from the first begin on
    Ns end = 0;     // of the last
    Ns longest = 0;
    double product = 0;  // of arguments and durations
    double time = 0;
  };
  using Row = std::pair<std::uint64_t, std::uint64_t>;

  static Row row_of(const SlabSpan& span);
  static void merge(Slice& into, const Slice& from);
  static SlabSpan whole(const Slice& slice);
  void put(std::vector<Slice>& slices, const Slice& slice);
  void widen();
  void shrink();
  std::size_t budget() const;

  static constexpr std::size_t kSlicesPerRow = 2;

  std::size_t most_;
  std::size_t size_ = 0;
  std::uint64_t added_ = 0;
  Ns width_ = 0;  // of a slice; 0: nothing is put together
  std::map<Row, std::vector<Slice>> rows_;
};

}  // namespace kutrace::emit
