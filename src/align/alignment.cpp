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

}  // namespace

Ns Aligned::operator()(Ns time) const {
  for (const ClockMap& map : maps) time = map(time);
  return time;
}

std::vector<std::optional<Aligned>> align_by_messages(const std::vector<SeenPackets>& machines) {
  std::vector<std::optional<Aligned>> aligned(machines.size());
  aligned.front() = Aligned{.maps = {}, .by = 0, .fit = {}, .within = 0};
  std::vector<Candidate> candidates;
  const auto add_candidates = [&](std::size_t by) {
    for (std::size_t i = 0; i < machines.size(); ++i) {
      if (aligned[i]) continue;
      const std::vector<Message> messages = matched(machines[i], machines[by]);
      if (messages.empty()) continue;
      ClockFit fit = fit_clock(messages);
      if (fit.sent == 0 || fit.received == 0) continue;
      Candidate& candidate = candidates.emplace_back();
      candidate.machine = i;
      candidate.made.by = by;
      candidate.made.maps = {fit.map};
      const Aligned& before = *aligned[by];
      candidate.made.maps.insert(candidate.made.maps.end(), before.maps.begin(), before.maps.end());
      const std::optional<Ns> own = within_of(fit);
      if (own && before.within) candidate.made.within = *own + *before.within;
      candidate.made.fit = std::move(fit);
    }
  };
  add_candidates(0);
  while (true) {
    std::optional<Candidate> best;
    for (const Candidate& one : candidates) {
      if (!aligned[one.machine] && is_better(one, best)) best = one;
    }
    if (!best) return aligned;
    aligned[best->machine] = std::move(best->made);
    add_candidates(best->machine);
  }
}

std::vector<Aligned> align_by_wall_clock(const std::vector<std::uint64_t>& wall_usec) {
  std::vector<Aligned> aligned;
  for (std::size_t i = 0; i < wall_usec.size(); ++i) {
    Aligned& one = aligned.emplace_back();
    one.by = i;
    if (i == 0) {
      one.within = 0;
      continue;
    }
    const auto later = static_cast<std::int64_t>(wall_usec[i] - wall_usec.front());
    one.maps = {ClockMap::shifted(1000 * std::clamp(later, -kFarthest_usec, kFarthest_usec))};
  }
  return aligned;
}

}  // namespace kutrace::align
