// SPDX-License-Identifier: BSD-3-Clause
// Clocks of machines, from messages between them: whatever the clocks do, and however long messages
// take, the offset that is told is as near to the truth as it says.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "align/alignment.h"
#include "align/offset_region.h"

namespace kutrace::align {
namespace {

constexpr Ns kSecond = 1'000'000'000;
constexpr Ns kQuickest = 20'000;  // no message takes less

// What a machine's clock shows, by the first machine's; always later for a later time.
using Clock = std::function<Ns(Ns)>;

Clock drifting(Ns offset, double ppm) {
  return [offset, ppm](Ns time) {
    return time + offset + static_cast<Ns>(std::floor(static_cast<double>(time) * ppm / 1e6));
  };
}

// Messages in turn over `length`, some of which are quick and most are not.
struct Talk {
  SeenPackets reference;
  SeenPackets own;
  std::vector<std::pair<Ns, Ns>> own_times;  // by the own clock, by the reference's
};

Talk talk(const Clock& clock, Ns length, unsigned messages, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> wait(1.0 / 100'000);
  Talk talk;
  for (std::uint32_t i = 0; i < messages; ++i) {
    const Ns sent = length / messages * i;
    const Ns received = sent + kQuickest + static_cast<Ns>(wait(random));
    const bool is_own = i % 2 == 0;
    const auto hash = static_cast<std::uint32_t>(random());
    SeenPackets& from = is_own ? talk.own : talk.reference;
    SeenPackets& to = is_own ? talk.reference : talk.own;
    const Ns own = is_own ? sent : received;
    from.sent.push_back({hash, is_own ? clock(sent) : sent});
    to.received.push_back({hash, is_own ? received : clock(received)});
    talk.own_times.emplace_back(clock(own), own);
  }
  talk.own.recorded = {clock(0), clock(length)};
  for (SeenPackets* const side : {&talk.own, &talk.reference}) {
    std::ranges::sort(side->sent);
    std::ranges::sort(side->received);
  }
  return talk;
}

// Whether each of the own machine's times is as near to the truth as its piece of the map says, or
// so many times as far. Between two pieces the clock changed, somewhere.
void check_within(const ClockFit& fit, const Talk& talk, Ns times = 1) {
  REQUIRE(fit.within.size() == fit.map.pieces().size());
  for (const auto& [own, truth] : talk.own_times) {
    for (std::size_t i = 0; i < fit.within.size(); ++i) {
      const ClockMap::Piece& piece = fit.map.pieces()[i];
      if (own < piece.begin || own > piece.end) continue;
      REQUIRE(fit.within[i]);
      const Ns error = std::abs(fit.map(own) - truth);
      if (error > times * *fit.within[i] + 2) FAIL("off by " << error << " of " << *fit.within[i]);
    }
  }
}

}  // namespace

TEST_CASE("a clock that is off and drifts is found as exactly as is said") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Ns offset = static_cast<Ns>(random() % 2'000'000'000'000) - 1'000'000'000'000;
    const double ppm = static_cast<double>(random() % 20'001) / 100 - 100;
    const Talk said = talk(drifting(offset, ppm), 10 * kSecond, 400, seed);
    const ClockFit fit = fit_clock(matched(said.own, said.reference), said.own.recorded);
    CHECK(fit.sent == 200);
    CHECK(fit.received == 200);
    CHECK(fit.contradictory == 0);
    REQUIRE(fit.within.size() == 1);
    check_within(fit, said);
    // Of 200 messages one way several take hardly more than the least.
    CHECK(*fit.within.front() < 3 * kQuickest);
  }
}

TEST_CASE("a clock that jumps has a piece for each side of the jump") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Ns when = 3 * kSecond + static_cast<Ns>(random() % (4 * kSecond));
    const Ns by = 1'000'000 * (1 + static_cast<Ns>(random() % 5000));
    const Clock clock = [when, by, steady = drifting(5 * kSecond, 12)](Ns time) {
      return steady(time) + (time < when ? 0 : by);
    };
    const Talk said = talk(clock, 10 * kSecond, 1000, seed);
    const ClockFit fit = fit_clock(matched(said.own, said.reference), said.own.recorded);
    REQUIRE(fit.within.size() == 2);
    CHECK(fit.map.pieces()[0].end <= clock(when) + kSecond / 10);
    CHECK(fit.map.pieces()[1].begin >= clock(when) - kSecond / 10);
    check_within(fit, said);
  }
}

TEST_CASE("a clock that is slowed down for a while is followed") {
  const Clock clock = [](Ns time) {
    const double slow = std::clamp(static_cast<double>(time - 4 * kSecond), 0.0, 8e9);
    return time - static_cast<Ns>(slow * 400 / 1e6);
  };
  const Talk said = talk(clock, 20 * kSecond, 4000, 5);
  const ClockFit fit = fit_clock(matched(said.own, said.reference), said.own.recorded);
  CHECK(fit.within.size() >= 3);
  // Where its rate changes it does not drift evenly.
  check_within(fit, said, 3);
}

TEST_CASE("what is said holds from the recording's begin to its end, though messages do not") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const double ppm = static_cast<double>(random() % 160'001) / 100 - 800;
    const Clock clock = drifting(5 * kSecond, ppm);
    const unsigned messages = 4 + 2 * static_cast<unsigned>(random() % 100);
    Talk said = talk(clock, kSecond / (1 + static_cast<Ns>(random() % 1000)), messages, seed);
    said.own.recorded = {clock(-2 * kSecond), clock(3 * kSecond)};
    for (const Ns time : {-2 * kSecond, 3 * kSecond})
      said.own_times.emplace_back(clock(time), time);
    const ClockFit fit = fit_clock(matched(said.own, said.reference), said.own.recorded);
    REQUIRE(fit.within.size() == 1);
    REQUIRE(fit.within.front());
    for (const auto& [own, truth] : said.own_times)
      CHECK(std::abs(fit.map(own) - truth) <= *fit.within.front() + 2);
  }
}

TEST_CASE("wall clocks are believed only of machines that no messages lead to") {
  const Clock second = drifting(kSecond, 10);
  const Talk with_first = talk(second, 10 * kSecond, 1000, 8);
  const Talk apart = talk(drifting(3 * kSecond, -10), 10 * kSecond, 1000, 9);
  // The third's wall clock is half a second ahead; the fourth talked to the third alone.
  const std::vector<std::uint64_t> wall_usec = {1'000'000, 9'000'000, 1'500'000, 77'000'000};
  const auto aligned = align_by_wall_clock(
      {with_first.reference, with_first.own, apart.reference, apart.own}, wall_usec);
  REQUIRE(aligned.size() == 4);
  for (const auto& [own, truth] : with_first.own_times)
    CHECK(std::abs(aligned[1](own) - truth) <= *aligned[1].within + 2);
  CHECK(!aligned[2].fit);
  CHECK(!aligned[2].within);
  CHECK(aligned[2](0) == kSecond / 2);
  REQUIRE(aligned[3].fit);
  CHECK(aligned[3].by == 2);
  for (const auto& [own, truth] : apart.own_times)
    CHECK(std::abs(aligned[3](own) - truth - kSecond / 2) <= *aligned[3].fit->within.front() + 2);
}

TEST_CASE("a few packets that only seem the same are left out") {
  Talk said = talk(drifting(-3 * kSecond, 5), 10 * kSecond, 1000, 3);
  // The own machine sent something else long before, and the other received it long after.
  for (const std::uint32_t hash : {1u, 2u, 3u}) {
    said.own.sent.push_back({hash, hash * kSecond});
    said.reference.received.push_back({hash, hash * kSecond / 2});
  }
  for (SeenPackets* const side : {&said.own, &said.reference}) {
    std::ranges::sort(side->sent);
    std::ranges::sort(side->received);
  }
  const ClockFit fit = fit_clock(matched(said.own, said.reference), said.own.recorded);
  CHECK(fit.contradictory == 3);
  CHECK(fit.within.size() == 1);
  check_within(fit, said);
}

TEST_CASE("messages one way bound a clock on one side only") {
  Talk said = talk(drifting(7'000, 0), kSecond, 100, 4);
  said.reference.sent.clear();
  said.own.received.clear();
  const ClockFit fit = fit_clock(matched(said.own, said.reference), said.own.recorded);
  REQUIRE(fit.within.size() == 1);
  CHECK(!fit.within.front());
  CHECK(align_by_messages({said.reference, said.own})[1] == std::nullopt);
}

TEST_CASE("a machine that the first one never heard of is aligned by way of another") {
  const Clock second = drifting(kSecond, 10);
  const Clock third = drifting(-kSecond, -10);
  const Talk with_second = talk(second, 10 * kSecond, 1000, 8);
  const Talk among = talk(third, 10 * kSecond, 1000, 9);
  // What the second of these said to the third, by the second's own clock.
  SeenPackets relay = with_second.own;
  for (SeenPacket packet : among.reference.sent)
    relay.sent.push_back({packet.hash, second(packet.time)});
  for (SeenPacket packet : among.reference.received)
    relay.received.push_back({packet.hash, second(packet.time)});
  std::ranges::sort(relay.sent);
  std::ranges::sort(relay.received);

  const auto aligned = align_by_messages({with_second.reference, relay, among.own});
  REQUIRE(aligned[2]);
  CHECK(aligned[1]->by == 0);
  CHECK(aligned[2]->by == 1);
  REQUIRE(aligned[2]->within);
  CHECK(*aligned[2]->within > *aligned[1]->within);
  for (const auto& [own, truth] : among.own_times)
    CHECK(std::abs((*aligned[2])(own)-truth) <= *aligned[2]->within + 4);
}

TEST_CASE("times never go back, whatever the pieces of a clock say") {
  const ClockMap map({{0, 100, 1000, 0}, {200, 300, -500, 0}, {400, 500, 0, 1e5}});
  Ns before = map(-10);
  for (Ns time = -9; time < 700; ++time) {
    const Ns now = map(time);
    CHECK(now >= before);
    before = now;
  }
  CHECK(map(50) == 1050);
  CHECK(map(450) == 1100);  // not before what stood at 1100
}

TEST_CASE("what contradicts all before leaves the region as it was") {
  OffsetRegion region;
  CHECK(region.add(0, 100, OffsetRegion::Bound::kAtMost));
  CHECK(region.add(0, 50, OffsetRegion::Bound::kAtLeast));
  CHECK(!region.add(0, 30, OffsetRegion::Bound::kAtMost));
  const OffsetRegion::Range range = region.at(0);
  CHECK(range.least == Approx(50).margin(2));
  CHECK(range.most == Approx(100).margin(2));
  const double middle = region.middle().offset;
  CHECK(middle > 50);
  CHECK(middle < 100);
}

}  // namespace kutrace::align
