// SPDX-License-Identifier: BSD-3-Clause
// Which of several queues has the earliest event; of equal times, the first queue. In: the time of
// each queue's next event; out: the queue whose turn it is.
//
// A tree of losers: each node keeps the later one of those that met there, and the earliest of all
// is known, and the second. A queue that goes on before the second is the first again: events come
// in runs. Else the new time meets those on its way up, one comparison a level, and none of them is
// a branch: which of two CPUs comes next nothing foretells.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "base/wide.h"

namespace kutrace {

class MergeTree {
 public:
  // `times`: of each queue, the time of its next event; nothing for a queue that has none.
  void start(const std::vector<std::optional<Ns>>& times) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(times.size(), 1));
    std::vector<Key> winners(2 * leaves_, kOver);
    later_.assign(leaves_, kOver);
    for (std::size_t queue = 0; queue < times.size(); ++queue) {
      if (times[queue]) winners[leaves_ + queue] = key(*times[queue], queue);
    }
    for (std::size_t node = leaves_ - 1; node > 0; --node) {
      winners[node] = std::min(winners[2 * node], winners[2 * node + 1]);
      later_[node] = std::max(winners[2 * node], winners[2 * node + 1]);
    }
    first_ = winners[1];
    find_second();
  }

  bool over() const { return first_ == kOver; }
  // The queue whose turn it is. Not to be asked when all are over.
  std::size_t first() const { return static_cast<std::uint32_t>(first_); }
  // Whether it is its turn again if its next event is at `time`.
  bool stays_first(Ns time) const { return key(time, first()) < second_; }
  // That queue's events were taken, its next one is at `time`.
  void goes_on(Ns time) { meet(first(), key(time, first())); }
  // That queue's events were taken, and it has no more.
  void ends() { meet(first(), kOver); }

 private:
  using Key = UnsignedWide;  // time, in the order of unsigned numbers, then queue
  static constexpr Key kOver = ~Key{0};

  static Key key(Ns time, std::size_t queue) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    return Key{static_cast<std::uint64_t>(time) ^ kSign} << 64 | queue;
  }
  void meet(std::size_t queue, Key coming) {
    if (coming < second_) {
      first_ = coming;
      return;
    }
    Key* const later = later_.data();
    for (std::size_t node = (leaves_ + queue) / 2; node > 0; node /= 2) {
      const Key other = later[node];
      const bool is_later = other < coming;
      later[node] = is_later ? coming : other;
      coming = is_later ? other : coming;
    }
    first_ = coming;
    find_second();
  }
  // It lost to the first one, somewhere on its way.
  void find_second() {
    Key second = kOver;
    if (!over()) {
      const Key* const later = later_.data();
      for (std::size_t node = (leaves_ + first()) / 2; node > 0; node /= 2) {
        second = std::min(second, later[node]);
      }
    }
    second_ = second;
  }

  std::size_t leaves_ = 1;  // a power of two
  std::vector<Key> later_;  // by node; the root is 1
  Key first_ = kOver;
  Key second_ = kOver;
};

}  // namespace kutrace
