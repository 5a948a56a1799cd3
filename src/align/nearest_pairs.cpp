// SPDX-License-Identifier: BSD-3-Clause
// From the earliest time to the latest, each takes the cheapest partner among those before it. What
// was decided can be taken back later: a price says what that costs. n log n steps for n times.
#include "align/nearest_pairs.h"

#include <functional>
#include <queue>
#include <utility>

namespace kutrace::align {

namespace {

// To be added to a time: what it costs to pair it with what stands before it. `changed` is then in
// a pair if it was alone, and alone if it was in one; all between keep a partner, maybe another
// one.
struct Price {
  Ns price = 0;
  std::size_t changed = 0;  // `ones` first, then `others`

  auto operator<=>(const Price&) const = default;
};

using Prices = std::priority_queue<Price, std::vector<Price>, std::greater<>>;

class Sweep {
 public:
  Sweep(std::span<const Ns> ones, std::span<const Ns> others, Ns most_apart)
      : ones_(ones),
        others_(others),
        most_apart_(most_apart),
        paired_(ones.size() + others.size()) {
    std::size_t one = 0;
    std::size_t other = 0;
    while (one < ones.size() || other < others.size()) {
      if (other == others.size() || (one < ones.size() && ones[one] <= others[other])) {
        take_one(one++);
      } else {
        take_other(other++);
      }
    }
  }

  std::vector<NearestPair> pairs() const {
    std::vector<NearestPair> pairs;
    std::size_t other = 0;
    for (std::size_t one = 0; one < ones_.size(); ++one) {
      if (!paired_[one]) continue;
      while (!paired_[ones_.size() + other]) ++other;
      pairs.push_back({static_cast<std::uint32_t>(one), static_cast<std::uint32_t>(other++)});
    }
    return pairs;
  }

 private:
  // May stay alone, so it is paired only where that is a gain.
  void take_one(std::size_t number) {
    const Ns time = ones_[number];
    if (of_others_.empty() || time + of_others_.top().price >= 0) {
      of_ones_.push({-time, number});
      return;
    }
    const Price best = of_others_.top();
    of_others_.pop();
    flip(best.changed);
    paired_[number] = true;
    of_ones_.push({-time - (time + best.price), best.changed});
  }

  void take_other(std::size_t number) {
    const Ns time = others_[number];
    const std::size_t self = ones_.size() + number;
    if (of_ones_.empty() || time + of_ones_.top().price > most_apart_) {
      of_others_.push({-time - most_apart_, self});
      return;
    }
    const Price best = of_ones_.top();
    of_ones_.pop();
    flip(best.changed);
    paired_[self] = true;
    of_others_.push({-time - (time + best.price), best.changed});
  }

  void flip(std::size_t which) { paired_[which] = !paired_[which]; }

  std::span<const Ns> ones_;
  std::span<const Ns> others_;
  Ns most_apart_;
  std::vector<bool> paired_;
  Prices of_ones_;    // for one of `others`
  Prices of_others_;  // for one of `ones`
};

}  // namespace

std::vector<NearestPair> nearest_pairs(std::span<const Ns> ones, std::span<const Ns> others,
                                       Ns most_apart) {
  return Sweep(ones, others, most_apart).pairs();
}

}  // namespace kutrace::align
