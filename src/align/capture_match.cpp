// SPDX-License-Identifier: BSD-3-Clause
// Twice: with the clocks as they are, then with the difference that was found.
#include "align/capture_match.h"

#include <algorithm>
#include <cstdlib>

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
    pairs.push_back(
        {traced[t].wall, packet.wall - traced[t].wall, packet.frame, traced[t].is_sent});
    ++t;
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
