// SPDX-License-Identifier: BSD-3-Clause
// Divides recorded time into blocks of equal length, to see how much what is summed up varies in
// time. In: the windows that were recorded or chosen; out: which block a moment lies in, and how an
// interval is shared among blocks. Where there are several windows, the next begins where one ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/time_window.h"
#include "base/units.h"

namespace kutrace::reports {

class TimeBlocks {
 public:
  static constexpr std::size_t kCount = 80;
  // Shorter ones say nothing of what varies from millisecond to millisecond.
  static constexpr Ns kShortest = 1'000'000;

  TimeBlocks() = default;
  // As tidy_windows makes them.
  explicit TimeBlocks(std::vector<TimeWindow> windows);

  // Of one block; the last is longer by less than kCount ns.
  Ns length() const { return length_; }
  bool long_enough() const { return length_ >= kShortest; }

  // The block of a moment that lies in a window.
  std::size_t at(Ns time) const { return block_at(place_of(time)); }
  // The block that all of [start, start + duration) belongs to, as share() has it; kCount: it
  // reaches into several. Cheap where intervals come in about the order of time.
  std::size_t only(Ns start, Ns duration) {
    if (start < recent_.begin || start >= recent_.until) look_up(start);
    return start >= recent_.begin && start < recent_.until && duration <= recent_.end - start
               ? recent_.block
               : kCount;
  }

  // `add(block, share)` for each block that [start, start + duration) reaches into. It starts in a
  // window; what lies behind that one's end belongs to the last block there.
  template <typename Add>
  void share(Ns start, Ns duration, const Add& add) const {
    const std::size_t window = window_of(start);
    Ns place = place_in(window, start);
    std::size_t block = block_at(place);
    const std::size_t last = block_at(std::max<Ns>(place, places_[window + 1] - 1));
    for (; block < last && duration > 0; ++block) {
      const Ns part = std::min(duration, static_cast<Ns>(block + 1) * length_ - place);
      add(block, part);
      place += part;
      duration -= part;
    }
    if (duration > 0) add(block, duration);
  }

 private:
  // What starts in [begin, until) and ends by `end` is the block's alone.
  struct Recent {
    Ns begin = 0;
    Ns until = 0;
    Ns end = 0;
    std::size_t block = 0;
  };

  void look_up(Ns start);
  std::size_t window_of(Ns time) const {
    if (windows_.size() == 1) return 0;
    return std::min(first_window_after(windows_, time), windows_.size() - 1);
  }
  Ns place_in(std::size_t window, Ns time) const {
    return places_[window] + std::max<Ns>(0, time - windows_[window].begin);
  }
  Ns place_of(Ns time) const { return place_in(window_of(time), time); }
  std::size_t block_at(Ns place) const {
    return std::min(static_cast<std::size_t>(place / length_), kCount - 1);
  }

  std::vector<TimeWindow> windows_ = {{0, kForever}};
  std::vector<Ns> places_ = {0,
                             kForever};  // where each begins, in all of their time; where it ends
  Ns length_ = kForever;
  Recent recent_;
};

}  // namespace kutrace::reports
