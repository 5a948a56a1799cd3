// SPDX-License-Identifier: BSD-3-Clause
// A tree of machines that grows from the first one.
#include "align/alignment.h"

#include <algorithm>
#include <utility>

namespace kutrace::align {

namespace {

// A century: clocks that are farther apart are not set, and nanoseconds still fit.
constexpr std::int64_t kFarthest_usec = 3'200'000'000'000'000;

// How well a whole map is known: as well as its worst piece.
std::optional<Ns> within_of(const ClockFit& fit) {
  Ns most = 0;
  for (const std::optional<Ns>& piece : fit.within) {
    if (!piece) return std::nullopt;
    most = std::max(most, *piece);
  }
  return most;
}

// A machine that is not aligned yet by one that is.
struct Candidate {
  Aligned made;
  std::size_t machine = 0;
};

bool is_better(const Candidate& one, const std::optional<Candidate>& than) {
  if (!than) return true;
  if (!one.made.within || !than->made.within)
    return one.made.within.has_value() && !than->made.within;
  return *one.made.within < *than->made.within;
}

// What is aligned, and what may come next.
class Tree {
 public:
  explicit Tree(const std::vector<SeenPackets>& machines)
      : machines_(machines), aligned_(machines.size()) {
    put(0, Aligned{.maps = {}, .by = 0, .fit = {}, .within = 0});
  }

  const std::vector<std::optional<Aligned>>& aligned() const { return aligned_; }

  void put(std::size_t machine, Aligned one) {
    aligned_[machine] = std::move(one);
    add_candidates(machine);
  }

  // As far as messages lead.
  void grow() {
    // The best known machine next, as in a shortest path: errors add up along the way from the
    // first.
    while (true) {
      std::optional<Candidate> best;
      for (const Candidate& one : candidates_) {
        if (!aligned_[one.machine] && is_better(one, best)) best = one;
      }
      if (!best) return;
      put(best->machine, std::move(best->made));
    }
  }

 private:
  void add_candidates(std::size_t by) {
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      if (aligned_[i]) continue;
      const std::vector<Message> messages = matched(machines_[i], machines_[by]);
      if (messages.empty()) continue;
      ClockFit fit = fit_clock(messages, machines_[i].recorded);
      // Messages in one direction bound the offset from one side only.
      if (fit.sent == 0 || fit.received == 0) continue;
      Candidate& candidate = candidates_.emplace_back();
      candidate.machine = i;
      candidate.made.by = by;
      candidate.made.maps = {fit.map};
      const Aligned& before = *aligned_[by];
      candidate.made.maps.insert(candidate.made.maps.end(), before.maps.begin(), before.maps.end());
      const std::optional<Ns> own = within_of(fit);
      if (own && before.within) candidate.made.within = *own + *before.within;
      candidate.made.fit = std::move(fit);
    }
  }

  const std::vector<SeenPackets>& machines_;
  std::vector<std::optional<Aligned>> aligned_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Ns Aligned::operator()(Ns time) const {
  for (const ClockMap& map : maps) time = map(time);
  return time;
}

std::vector<std::optional<Aligned>> align_by_messages(const std::vector<SeenPackets>& machines) {
  Tree tree(machines);
  tree.grow();
  return tree.aligned();
}

std::vector<Aligned> align_by_wall_clock(const std::vector<SeenPackets>& machines,
                                         const std::vector<std::uint64_t>& wall_usec) {
  // Wall clocks only where no message leads; a machine that was put by its wall clock may lead to
  // others by messages.
  Tree tree(machines);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    tree.grow();
    if (tree.aligned()[i]) continue;
    const auto later = static_cast<std::int64_t>(wall_usec[i] - wall_usec.front());
    const Ns apart = 1000 * std::clamp(later, -kFarthest_usec, kFarthest_usec);
    tree.put(i, Aligned{.maps = {ClockMap::shifted(apart)}, .by = i, .fit = {}, .within = {}});
  }
  std::vector<Aligned> aligned;
  for (const std::optional<Aligned>& one : tree.aligned()) aligned.push_back(*one);
  return aligned;
}

}  // namespace kutrace::align
