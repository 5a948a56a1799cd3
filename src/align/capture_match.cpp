// SPDX-License-Identifier: BSD-3-Clause
// Twice: with the clocks as they are, then with the difference that was found.
#include "align/capture_match.h"

#include <algorithm>
#include <cstdlib>

#include "align/nearest_pairs.h"

namespace kutrace::align {

namespace {

constexpr Ns kFarApart = 2'000'000'000;  // so much may clocks differ before anything is known
constexpr Ns kNear = 10'000'000;         // and so much packets, once it is

// `expected` gives the capture's time of a packet of the trace. Both are in order of hash, then
// time.
template <typename Expected>
std::vector<SeenTwice> pairs_of(const std::vector<TracedPacket>& traced,
                                const std::vector<CapturedPacket>& captured, Ns most_apart,
                                const Expected& expected) {
  std::vector<SeenTwice> pairs;
  std::vector<Ns> expected_times;
  std::vector<Ns> times;
  for (std::size_t c = 0, t = 0; c < captured.size(); c += times.size()) {
    const std::uint32_t hash = captured[c].hash;
    while (t < traced.size() && traced[t].hash < hash) ++t;
    expected_times.clear();
    times.clear();
    for (std::size_t i = t; i < traced.size() && traced[i].hash == hash; ++i)
      expected_times.push_back(expected(traced[i]));
    for (std::size_t i = c; i < captured.size() && captured[i].hash == hash; ++i)
      times.push_back(captured[i].wall);
    for (const auto& [one, other] : nearest_pairs(expected_times, times, most_apart)) {
      const TracedPacket& packet = traced[t + one];
      pairs.push_back(
          {packet.wall, times[other] - packet.wall, captured[c + other].frame, packet.is_sent});
    }
  }
  std::ranges::sort(pairs, {}, &SeenTwice::wall);
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
  std::vector<SeenTwice> pairs =
      pairs_of(traced, captured, kFarApart, [](const TracedPacket& one) { return one.wall; });
  if (pairs.empty()) return match;
  const CaptureClock first(pairs);
  pairs = pairs_of(traced, captured, kNear,
                   [&](const TracedPacket& one) { return one.wall + first.ahead(one.wall); });
  if (pairs.empty()) return match;
  match.clock = CaptureClock(pairs);
  std::vector<Ns> errors;
  for (const SeenTwice& pair : pairs) {
    (pair.is_sent ? match.sent : match.received)++;
    match.frames.push_back(pair.frame);
    errors.push_back(std::abs(pair.difference - match.clock.ahead(pair.wall)));
  }
  std::ranges::sort(errors);
  std::ranges::sort(match.frames);
  match.captured_only = captured.size() - pairs.size();
  const auto [early, late] = std::ranges::minmax(captured, {}, &CapturedPacket::wall);
  // Packets in both are of this time, too, however late the capture saw them.
  const Ns begin = std::min(match.clock.of_trace(early.wall), pairs.front().wall);
  const Ns end = std::max(match.clock.of_trace(late.wall), pairs.back().wall);
  match.traced_only = within(traced, begin, end) - match.matched();
  match.ahead = match.clock.ahead(pairs.front().wall);
  match.median_error = errors[errors.size() / 2];
  match.p95_error = errors[std::min(errors.size() - 1, errors.size() * 95 / 100)];
  match.most_error = errors.back();
  return match;
}

}  // namespace kutrace::align
