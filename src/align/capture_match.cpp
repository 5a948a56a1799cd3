// SPDX-License-Identifier: BSD-3-Clause
// Twice: with the clock that rare packets tell, then with the one that all found packets tell.
#include "align/capture_match.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "align/nearest_pairs.h"

namespace kutrace::align {

namespace {

constexpr Ns kNear = 10'000'000;  // so far apart may a packet be seen
constexpr int kRounds = 2;

// Packets of the capture in the trace's time, those left out of which it cannot be told. In order
// of hash, then time.
std::vector<CapturedPacket> placed(const std::vector<CapturedPacket>& captured,
                                   const CaptureClock& clock) {
  std::vector<CapturedPacket> packets;
  packets.reserve(captured.size());
  for (const CapturedPacket& packet : captured)
    if (const auto wall = clock.of_trace(packet.frame, packet.wall))
      packets.push_back({packet.hash, *wall, packet.frame});
  std::ranges::sort(packets);
  return packets;
}

// Both are in order of hash, then time. The difference is what the clock leaves.
std::vector<SeenTwice> pairs_of(const std::vector<TracedPacket>& traced,
                                const std::vector<CapturedPacket>& captured) {
  std::vector<SeenTwice> pairs;
  std::vector<Ns> walls;
  std::vector<Ns> captured_walls;
  for (std::size_t c = 0, t = 0; c < captured.size(); c += captured_walls.size()) {
    const std::uint32_t hash = captured[c].hash;
    while (t < traced.size() && traced[t].hash < hash) ++t;
    walls.clear();
    captured_walls.clear();
    for (std::size_t i = t; i < traced.size() && traced[i].hash == hash; ++i)
      walls.push_back(traced[i].wall);
    for (std::size_t i = c; i < captured.size() && captured[i].hash == hash; ++i)
      captured_walls.push_back(captured[i].wall);
    for (const auto& [one, other] : nearest_pairs(walls, captured_walls, kNear))
      pairs.push_back({walls[one], captured_walls[other] - walls[one], captured[c + other].frame,
                       traced[t + one].is_sent});
  }
  return pairs;
}

std::vector<std::vector<SeenTwice>> runs_of(const std::vector<SeenTwice>& pairs,
                                            const CaptureClock& clock, std::span<const Ns> walls) {
  std::vector<std::vector<SeenTwice>> runs;
  std::optional<std::size_t> current;
  for (SeenTwice pair : pairs) {
    const auto run = clock.run_of(pair.frame);
    if (runs.empty() || run != current) runs.emplace_back();
    current = run;
    pair.difference = walls[pair.frame] - pair.wall;
    runs.back().push_back(pair);
  }
  return runs;
}

void tell(const std::vector<SeenTwice>& pairs, CaptureMatch& match) {
  std::vector<Ns> errors;
  for (const SeenTwice& pair : pairs) {
    (pair.is_sent ? match.sent : match.received)++;
    match.frames.push_back(pair.frame);
    errors.push_back(std::abs(pair.difference));
  }
  std::ranges::sort(errors);
  match.median_error = errors[errors.size() / 2];
  match.p95_error = errors[std::min(errors.size() - 1, errors.size() * 95 / 100)];
  match.most_error = errors.back();
}

std::uint64_t within(const std::vector<TracedPacket>& traced, Ns begin, Ns end) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      traced, [&](const TracedPacket& one) { return one.wall >= begin && one.wall <= end; }));
}

}  // namespace

CaptureMatch match_capture(std::vector<TracedPacket> traced, std::vector<CapturedPacket> captured,
                           std::span<const Ns> walls) {
  std::ranges::sort(traced);
  std::ranges::sort(captured);
  CaptureMatch match;
  match.captured_only = captured.size();
  match.vote = vote(traced, captured);
  if (match.vote.doubt != VoteDoubt::kNone) return match;
  match.clock = CaptureClock(match.vote.runs, walls);
  std::vector<CapturedPacket> packets = placed(captured, match.clock);
  std::vector<SeenTwice> pairs = pairs_of(traced, packets);
  for (int round = 0; round < kRounds; ++round) {
    std::ranges::sort(pairs, {}, &SeenTwice::frame);
    match.clock = CaptureClock(runs_of(pairs, match.clock, walls), walls);
    packets = placed(captured, match.clock);
    pairs = pairs_of(traced, packets);
  }
  std::ranges::sort(pairs, {}, &SeenTwice::frame);
  tell(pairs, match);
  match.captured_only = packets.size() - pairs.size();
  // Packets in both are of this time, too, however late the capture saw them.
  const auto [early, late] = std::ranges::minmax(packets, {}, &CapturedPacket::wall);
  const auto [first, last] = std::ranges::minmax(pairs, {}, &SeenTwice::wall);
  match.traced_only =
      within(traced, std::min(early.wall, first.wall), std::max(late.wall, last.wall)) -
      match.matched();
  return match;
}

}  // namespace kutrace::align
