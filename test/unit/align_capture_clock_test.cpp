// SPDX-License-Identifier: BSD-3-Clause
// Clocks of captures that were set, drift, or are just wrong: where each packet of the capture was
// in truth; and what tells too little to say.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <vector>

#include "align/capture_match.h"

namespace kutrace::align {
namespace {

constexpr Ns kMicrosecond = 1000;
constexpr Ns kMillisecond = 1'000'000;
constexpr Ns kSecond = 1'000'000'000;
constexpr Ns kWall = 1'700'000'000 * kSecond;

// Ten bursts, a second apart: messages, each sent, received, answered with the same bytes, and
// acknowledged. The trace has all but the acknowledgments, at both ends; the capture is of one end.
struct Talk {
  std::vector<TracedPacket> traced;
  std::vector<CapturedPacket> captured;
  std::vector<Ns> walls;  // of the capture
  std::vector<Ns> truth;  // by the trace's clock

  // `clock`: the capture's, of a packet of this number at this time.
  explicit Talk(const std::function<Ns(std::size_t, Ns)>& clock) {
    std::mt19937_64 random(3);
    std::uint32_t hash = 100;
    for (Ns burst = 0; burst < 10; ++burst) {
      Ns time = kWall + burst * kSecond;
      for (int i = 0; i < 20; ++i) {
        ++hash;
        const auto later = [&] {
          return time += 20 * kMicrosecond + static_cast<Ns>(random() % 50'000);
        };
        const Ns sent = later();
        traced.push_back({hash, sent, true});
        traced.push_back({hash, later(), false});
        traced.push_back({hash, later(), true});
        const Ns answered = later();
        traced.push_back({hash, answered, false});
        const Ns acknowledged = later();
        for (const Ns at : {sent, answered, acknowledged}) {
          const auto frame = static_cast<std::uint32_t>(truth.size());
          walls.push_back(clock(frame, at) + static_cast<Ns>(random() % 2000));
          if (at != acknowledged) captured.push_back({hash, walls.back(), frame});
          truth.push_back(at);
        }
      }
    }
  }

  CaptureMatch match() const { return match_capture(traced, captured, walls); }
  // How far off the worst packet is, of those that were placed.
  Ns most_off(const CaptureMatch& match) const {
    Ns most = 0;
    for (std::uint32_t i = 0; i < truth.size(); ++i)
      if (const auto wall = match.clock.of_trace(i, walls[i]))
        most = std::max(most, std::abs(*wall - truth[i]));
    return most;
  }
};

constexpr std::size_t kMiddle = 310;  // of 600: within a burst

}  // namespace

TEST_CASE("a capture whose clock was set is put in place packet by packet") {
  for (const Ns step :
       {kMillisecond * 10, -10 * kMillisecond, 100 * kMillisecond, -100 * kMillisecond, kSecond,
        -kSecond, 5 * kSecond, -5 * kSecond, 30 * kSecond, 3600 * kSecond, -3600 * kSecond}) {
    const Talk talk([&](std::size_t i, Ns time) { return time + (i < kMiddle ? 0 : step); });
    const CaptureMatch match = talk.match();
    CHECK(match.matched() == 400);
    CHECK(match.captured_only == 0);
    CHECK(match.clock.unplaced() == 0);
    CHECK(talk.most_off(match) < 20 * kMicrosecond);
    REQUIRE(match.clock.steps().size() == 1);
    const CaptureClock::Step& told = match.clock.steps().front();
    CHECK(std::abs(told.by - step) < 20 * kMicrosecond);
    CHECK(std::abs(told.wall - talk.truth[kMiddle]) < 20 * kMicrosecond);
    const auto drift = match.clock.course().drift;
    REQUIRE(drift);
    CHECK(std::abs(*drift) < 5000);  // no step is a drift
  }
}

TEST_CASE("a clock that was set twice, and drifts, is followed") {
  const Talk talk([](std::size_t i, Ns time) {
    return time + (time - kWall) / 5000 + (i < 200 ? 0 : 2 * kSecond) - (i < 400 ? 0 : 7 * kSecond);
  });
  const CaptureMatch match = talk.match();
  CHECK(match.matched() == 400);
  CHECK(match.clock.steps().size() == 2);
  CHECK(talk.most_off(match) < 200 * kMicrosecond);
}

TEST_CASE("clocks may be apart by any constant, and drift") {
  for (const Ns ahead : {2100 * kMillisecond, 59 * kSecond, -3600 * kSecond, -kWall}) {
    const Talk talk([&](std::size_t, Ns time) { return time + ahead; });
    const CaptureMatch match = talk.match();
    CHECK(match.matched() == 400);
    CHECK(match.clock.steps().empty());
    CHECK(std::abs(match.clock.ahead() - ahead) < 20 * kMicrosecond);
    CHECK(talk.most_off(match) < 20 * kMicrosecond);
  }
  const Talk talk([](std::size_t, Ns time) { return time + (time - kWall) / 2000; });
  const CaptureMatch match = talk.match();
  CHECK(match.matched() == 400);
  CHECK(talk.most_off(match) < 100 * kMicrosecond);
  const auto drift = match.clock.course().drift;
  REQUIRE(drift);
  CHECK(std::abs(*drift - 500'000) < 10'000);
}

TEST_CASE("a change too small for a step is no steady drift either") {
  const Talk talk([](std::size_t i, Ns time) { return time + (i < kMiddle ? 0 : 400'000); });
  const CaptureMatch match = talk.match();
  CHECK(match.matched() == 400);
  CHECK_FALSE(match.clock.course().drift);
  CHECK(match.clock.course().most > 350'000);
  CHECK(talk.most_off(match) < kMillisecond);
}

TEST_CASE("packets that may have been before a step or behind it are left out") {
  // Set back while nothing was sent for a second, but a pause of 400 ms comes soon after.
  const std::size_t first = 300;
  const Talk talk([&](std::size_t i, Ns time) {
    const Ns late = i >= first + 1 ? 400 * kMillisecond : 0;
    return time + late - (i < first ? 0 : 100 * kMillisecond);
  });
  Talk late = talk;
  for (std::size_t i = first + 1; i < late.truth.size(); ++i) late.truth[i] += 400 * kMillisecond;
  for (TracedPacket& packet : late.traced)
    if (packet.wall > talk.truth[first]) packet.wall += 400 * kMillisecond;
  std::erase_if(late.captured, [&](const CapturedPacket& one) { return one.frame == first; });
  const CaptureMatch match = late.match();
  CHECK(match.clock.steps().size() == 1);
  CHECK_FALSE(match.clock.of_trace(first, late.walls[first]));
  CHECK(match.clock.unplaced() >= 1);
  CHECK(match.clock.unplaced() <= 4);
  CHECK(late.most_off(match) < 20 * kMicrosecond);
}

TEST_CASE("packets from before the clock was set back are no packets of the trace") {
  Talk talk([](std::size_t i, Ns time) { return time + (i < 60 ? 5 * kSecond : 0); });
  std::erase_if(talk.captured, [](const CapturedPacket& one) { return one.frame < 60; });
  const CaptureMatch match = talk.match();
  CHECK(match.clock.unplaced() == 60);
  CHECK(talk.most_off(match) < 20 * kMicrosecond);
}

TEST_CASE("too few packets tell nothing, nor do those whose bytes are always the same") {
  const auto doubt = [](const std::vector<TracedPacket>& traced,
                        const std::vector<CapturedPacket>& captured) {
    std::vector<Ns> walls;
    for (const CapturedPacket& packet : captured) walls.push_back(packet.wall);
    const CaptureMatch match = match_capture(traced, captured, walls);
    CHECK(match.matched() == 0);
    return match.vote.doubt;
  };
  CHECK(doubt({{1, kWall, true}, {2, kWall + 5, true}}, {{1, kWall, 0}, {2, kWall + 5, 1}}) ==
        VoteDoubt::kTooFew);
  std::vector<TracedPacket> traced;
  std::vector<CapturedPacket> captured;
  for (std::uint32_t i = 0; i < 40; ++i) {
    traced.push_back({i % 2, kWall + i * kMillisecond, true});
    captured.push_back({i % 2, kWall + i * kMillisecond, i});
  }
  CHECK(doubt(traced, captured) == VoteDoubt::kTooFew);
}

TEST_CASE("packets that do not agree tell nothing, nor do those that agree on two differences") {
  std::vector<TracedPacket> traced;
  std::vector<CapturedPacket> captured;
  std::vector<Ns> walls;
  for (std::uint32_t i = 0; i < 40; ++i) {
    traced.push_back({i + 1, kWall + (i * 17 % 40) * kSecond, true});
    captured.push_back({i + 1, kWall + i * kSecond, i});
    walls.push_back(captured.back().wall);
  }
  CHECK(match_capture(traced, captured, walls).vote.doubt == VoteDoubt::kNoMajority);

  // The same eight messages every second, of which the trace has three seconds.
  traced.clear();
  captured.clear();
  walls.clear();
  for (std::uint32_t i = 0; i < 64; ++i) {
    const Ns time = kWall + i / 8 * kSecond + i % 8 * 10 * kMillisecond;
    if (i / 8 >= 2 && i / 8 < 5) traced.push_back({i % 8 + 1, time, true});
    captured.push_back({i % 8 + 1, time + 700 * kMillisecond, i});
    walls.push_back(captured.back().wall);
  }
  CHECK(match_capture(traced, captured, walls).vote.doubt == VoteDoubt::kTwoAnswers);
  for (CapturedPacket& packet : captured) packet.wall -= 700 * kMillisecond;
  for (Ns& wall : walls) wall -= 700 * kMillisecond;
  const CaptureMatch match = match_capture(traced, captured, walls);
  CHECK(match.vote.doubt == VoteDoubt::kNone);  // the clocks of one machine agree
  CHECK(match.matched() == 24);
  CHECK(match.clock.ahead() == 0);
}

}  // namespace kutrace::align
