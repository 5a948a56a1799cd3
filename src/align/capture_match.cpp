// SPDX-License-Identifier: BSD-3-Clause
// Twice: with the clocks as they are, then with the difference that was found.
#include "align/capture_match.h"

#include <algorithm>
#include <cstdlib>

namespace kutrace::align {

namespace {

constexpr Ns kFarApart = 2'000'000'000;  // so much may clocks differ before anything is known
constexpr Ns kNear = 10'000'000;         // and so much packets, once it is
constexpr std::size_t kTogether = 32;    // packets whose median is taken
constexpr Ns kSecond = 1'000'000'000;

// The same packet, seen twice.
struct Pair {
  Ns wall = 0;        // of the trace
  Ns difference = 0;  // how much later by the capture's clock
  bool is_sent = false;
};

Ns median_of(std::vector<Ns>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// How much the capture's clock is ahead, by the trace's; in steps between which it is interpolated.
class Difference {
 public:
  // Of pairs in order of time; at least one.
  explicit Difference(const std::vector<Pair>& pairs) {
    for (std::size_t first = 0; first < pairs.size(); first += kTogether) {
      // What is left over at the end goes with those before.
      const bool is_last = pairs.size() - first < 2 * kTogether;
      const std::size_t end = is_last ? pairs.size() : first + kTogether;
      std::vector<Ns> values;
      for (std::size_t i = first; i < end; ++i) values.push_back(pairs[i].difference);
      steps_.push_back({pairs[(first + end - 1) / 2].wall, median_of(values)});
      if (is_last) break;
    }
  }

  Ns at(Ns wall) const {
    const auto next = std::ranges::upper_bound(steps_, wall, {}, &Step::wall);
    if (next == steps_.begin()) return steps_.front().value;
    if (next == steps_.end()) return steps_.back().value;
    const Step& before = *std::prev(next);
    const double share =
        static_cast<double>(wall - before.wall) / static_cast<double>(next->wall - before.wall);
    return before.value + static_cast<Ns>(share * static_cast<double>(next->value - before.value));
  }

  std::optional<double> drift() const {
    const Ns span = steps_.back().wall - steps_.front().wall;
    if (span <= kSecond) return std::nullopt;
    return static_cast<double>(steps_.back().value - steps_.front().value) /
           (static_cast<double>(span) / kSecond);
  }

 private:
  struct Step {
    Ns wall = 0;
    Ns value = 0;
  };
  std::vector<Step> steps_;
};

// `expected` gives the capture's time of a packet of the trace. Both are in order of hash, then
// time.
template <typename Expected>
std::vector<Pair> pairs_of(const std::vector<TracedPacket>& traced,
                           const std::vector<CapturedPacket>& captured, Ns most_apart,
                           const Expected& expected) {
  std::vector<Pair> pairs;
  std::size_t t = 0;
  for (const CapturedPacket& packet : captured) {
    while (t < traced.size() &&
           (traced[t].hash < packet.hash ||
            (traced[t].hash == packet.hash && expected(traced[t]) < packet.wall - most_apart)))
      ++t;
    if (t == traced.size()) break;
    if (traced[t].hash != packet.hash || expected(traced[t]) > packet.wall + most_apart) continue;
    // The nearest of those that are left.
    const auto apart = [&](std::size_t i) { return std::abs(expected(traced[i]) - packet.wall); };
    while (t + 1 < traced.size() && traced[t + 1].hash == packet.hash && apart(t + 1) < apart(t))
      ++t;
    pairs.push_back({traced[t].wall, packet.wall - traced[t].wall, traced[t].is_sent});
    ++t;
  }
  std::ranges::sort(pairs, {}, &Pair::wall);
  return pairs;
}

std::uint64_t within(const std::vector<TracedPacket>& traced, Ns begin, Ns end) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      traced, [&](const TracedPacket& one) { return one.wall >= begin && one.wall <= end; }));
}

}  // namespace

CaptureMatch match_capture(std::vector<TracedPacket> traced, std::vector<CapturedPacket> captured) {
  std::ranges::sort(traced);
  std::ranges::sort(captured);
  CaptureMatch match;
  match.captured_only = captured.size();
  std::vector<Pair> pairs =
      pairs_of(traced, captured, kFarApart, [](const TracedPacket& one) { return one.wall; });
  if (pairs.empty()) return match;
  const Difference first(pairs);
  pairs = pairs_of(traced, captured, kNear,
                   [&](const TracedPacket& one) { return one.wall + first.at(one.wall); });
  if (pairs.empty()) return match;
  const Difference difference(pairs);
  std::vector<Ns> errors;
  for (const Pair& pair : pairs) {
    (pair.is_sent ? match.sent : match.received)++;
    errors.push_back(std::abs(pair.difference - difference.at(pair.wall)));
  }
  std::ranges::sort(errors);
  match.captured_only = captured.size() - pairs.size();
  const auto [early, late] = std::ranges::minmax(captured, {}, &CapturedPacket::wall);
  const Ns ahead = difference.at(pairs.front().wall);
  const std::uint64_t meanwhile = within(traced, early.wall - ahead, late.wall - ahead);
  match.traced_only = meanwhile - std::min(match.matched(), meanwhile);
  match.ahead = ahead;
  match.drift = difference.drift();
  match.median_error = errors[errors.size() / 2];
  match.p95_error = errors[std::min(errors.size() - 1, errors.size() * 95 / 100)];
  match.most_error = errors.back();
  return match;
}

}  // namespace kutrace::align
