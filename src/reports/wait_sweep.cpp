// SPDX-License-Identifier: BSD-3-Clause
// One look at the stretches in the order of time.
#include "reports/wait_sweep.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kutrace::reports {

namespace {

Ns as_ns(Wide time) {
  return static_cast<Ns>(std::min<Wide>(time, std::numeric_limits<Ns>::max()));
}

// How many of the numbers that were added are below one: a Fenwick tree.
class Counts {
 public:
  explicit Counts(std::size_t numbers) : tree_(numbers + 1) {}

  void add(std::size_t number) {
    ++added_;
    for (std::size_t at = number + 1; at < tree_.size(); at += at & -at) ++tree_[at];
  }
  std::size_t at_least(std::size_t number) const {
    std::size_t below = 0;
    for (std::size_t at = number; at != 0; at &= at - 1) below += tree_[at];
    return added_ - below;
  }

 private:
  std::vector<std::uint32_t> tree_;
  std::size_t added_ = 0;
};

// Waits by their ends.
std::vector<std::uint32_t> by_end(const std::vector<TimeWindow>& waits) {
  std::vector<std::uint32_t> order(waits.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t wait) { return waits[wait].end; });
  return order;
}

}  // namespace

WaitSweep::WaitSweep(std::span<const Stretch> stretches, Ns end, std::uint32_t kinds)
    : stretches_(stretches),
      end_(end),
      firsts_(kinds + std::size_t{1}),
      of_turn_(stretches.size()),
      turns_(stretches.size()),
      before_(stretches.size()) {
  for (const Stretch& stretch : stretches) ++firsts_[stretch.what + std::size_t{1}];
  std::partial_sum(firsts_.begin(), firsts_.end(), firsts_.begin());
  std::vector<Turn> next(firsts_.begin(), firsts_.end() - 1);
  for (Place place = 0; place < stretches.size(); ++place) {
    const std::uint32_t what = stretches[place].what;
    const Turn turn = next[what]++;
    turns_[place] = turn;
    of_turn_[turn] = place;
    if (turn == firsts_[what]) continue;
    const Place last = of_turn_[turn - 1];
    before_[turn] = before_[turn - 1] + end_of(last) - stretches[last].begin;
  }
}

Ns WaitSweep::end_of(Place place) const {
  return place + 1 < stretches_.size() ? stretches_[place + 1].begin : end_;
}

// How long the CPU did the same as in that turn, from a time in it on.
Ns WaitSweep::time_in(Turn turn, Ns from, Ns to) const {
  const Stretch& first = stretches_[of_turn_[turn]];
  const auto behind =
      std::upper_bound(of_turn_.begin() + turn + 1, of_turn_.begin() + firsts_[first.what + 1], to,
                       [&](Ns time, Place place) { return time < stretches_[place].begin; });
  const auto last = static_cast<Turn>(behind - of_turn_.begin() - 1);
  const Place place = of_turn_[last];
  const Ns in_last = std::min(to, end_of(place)) - stretches_[place].begin;
  return before_[last] + in_last - before_[turn] - (from - first.begin);
}

// Of all waits that go on when a stretch begins, the one that ends last sees most of what follows.
void WaitSweep::meet(Place place, Sum& sum, Wide& total) {
  const Ns begin = stretches_[place].begin;
  const Ns end = end_of(place);
  const Turn turn = turns_[place];
  const auto start = [&] { latest_ = std::max(latest_, waits_[begun_++].end); };
  while (begun_ < waits_.size() && waits_[begun_].begin <= begin) start();
  while (ended_ < ends_.size() && ends_[ended_] <= begin) ++ended_;
  total += Wide{end - begin} * static_cast<Ns>(begun_ - ended_);
  if (latest_ > begin) sum.longest = std::max(sum.longest, time_in(turn, begin, latest_));
  while (begun_ < waits_.size() && waits_[begun_].begin < end) {
    const TimeWindow& wait = waits_[begun_];
    total += end - wait.begin;
    sum.longest = std::max(sum.longest, time_in(turn, wait.begin, wait.end));
    start();
  }
  for (std::size_t over = ended_; over < ends_.size() && ends_[over] < end; ++over) {
    total -= end - ends_[over];
  }
}

std::vector<WaitSweep::Sum> WaitSweep::sums(std::vector<TimeWindow> waits) {
  std::ranges::sort(waits, {}, &TimeWindow::begin);
  waits_ = std::move(waits);
  ends_.clear();
  std::vector<std::uint32_t> ranks(waits_.size());  // at which place among all ends each stands
  for (const std::uint32_t wait : by_end(waits_)) {
    ranks[wait] = static_cast<std::uint32_t>(ends_.size());
    ends_.push_back(waits_[wait].end);
  }
  begun_ = 0;
  ended_ = 0;
  latest_ = std::numeric_limits<Ns>::min();
  Counts ends_of_begun(waits_.size());
  std::vector<Sum> sums(firsts_.size() - 1);
  std::vector<Wide> totals(sums.size());
  // By what the CPU did: of the waits that saw it last time, those that see it again.
  std::vector<std::size_t> see_again(sums.size());
  std::size_t counted = 0;
  for (Place place = 0; place < stretches_.size(); ++place) {
    const std::uint32_t what = stretches_[place].what;
    Sum& sum = sums[what];
    meet(place, sum, totals[what]);
    sum.waits += begun_ - ended_ - see_again[what];
    const Turn next = turns_[place] + 1;
    if (next == firsts_[what + std::size_t{1}]) continue;
    for (; counted < begun_; ++counted) ends_of_begun.add(ranks[counted]);
    const Ns then = stretches_[of_turn_[next]].begin;
    const auto over = std::ranges::upper_bound(ends_, then) - ends_.begin();
    see_again[what] = ends_of_begun.at_least(static_cast<std::size_t>(over));
  }
  for (std::size_t what = 0; what < sums.size(); ++what) sums[what].total = as_ns(totals[what]);
  return sums;
}

}  // namespace kutrace::reports
