// SPDX-License-Identifier: BSD-3-Clause
// The longest chain of packets in the order of the capture of which each agrees with the one before
// it. To go on with another difference costs as much as three packets bring.
#include "align/capture_vote.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <unordered_set>
#include <utility>

namespace kutrace::align {

namespace {

constexpr std::size_t kRare = 8;                      // packets of a hash in either file
constexpr std::size_t kMostCandidates = 1u << 21;     // more tell nothing new
constexpr Ns kMostApart = 3'000'000'000'000'000'000;  // 95 years, so that sums fit
constexpr Ns kAlike = 500'000;                        // differences, of packets at the same time
constexpr double kMostDrift = 600e-6;  // of clocks that are disciplined, and then some
constexpr double kCostOfStep = kLeastVotes;
constexpr double kCostOfScatter = 0.25;   // of differences that are just alike
constexpr double kGainOfAgreement = 0.5;  // the clocks of one machine agree
constexpr std::size_t kMostTracks = 64;
constexpr std::size_t kMostLive = 256;
constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();

struct Guess {
  SeenTwice packet;
  std::uint32_t hash = 0;
  double score = 0;               // of the best chain that ends here
  std::size_t before = kNothing;  // in that chain
};

// Where the packets of a hash stand in both.
struct Voter {
  std::size_t traced = 0;
  std::size_t traced_end = 0;
  std::size_t captured = 0;
  std::size_t captured_end = 0;

  std::size_t candidates() const { return (traced_end - traced) * (captured_end - captured); }
};

std::vector<Voter> voters_of(const std::vector<TracedPacket>& traced,
                             const std::vector<CapturedPacket>& captured, std::size_t& in_both) {
  std::vector<Voter> voters;
  Voter one;
  while (one.captured_end < captured.size()) {
    const std::uint32_t hash = captured[one.captured_end].hash;
    one.captured = one.captured_end;
    while (one.captured_end < captured.size() && captured[one.captured_end].hash == hash)
      ++one.captured_end;
    one.traced = one.traced_end;
    while (one.traced < traced.size() && traced[one.traced].hash < hash) ++one.traced;
    one.traced_end = one.traced;
    while (one.traced_end < traced.size() && traced[one.traced_end].hash == hash) ++one.traced_end;
    const std::size_t times = one.traced_end - one.traced;
    if (times != 0) ++in_both;
    // Zeros come to 0, and so does much else that is the same again and again.
    if (hash != 0 && times != 0 && times <= kRare && one.captured_end - one.captured <= kRare)
      voters.push_back(one);
  }
  return voters;
}

// Leaves out some at random, where there are many.
void thin(std::vector<Voter>& voters) {
  std::size_t candidates = 0;
  for (const Voter& one : voters) candidates += one.candidates();
  if (candidates <= kMostCandidates) return;
  std::ranges::shuffle(voters, std::mt19937(1));
  for (; candidates > kMostCandidates; voters.pop_back()) candidates -= voters.back().candidates();
}

std::vector<Guess> candidates_of(const std::vector<TracedPacket>& traced,
                                 const std::vector<CapturedPacket>& captured,
                                 const std::vector<Voter>& voters) {
  std::vector<Guess> candidates;
  for (const Voter& one : voters)
    for (std::size_t i = one.captured; i < one.captured_end; ++i)
      for (std::size_t j = one.traced; j < one.traced_end; ++j)
        if (std::abs(captured[i].wall - traced[j].wall) <= kMostApart)
          candidates.push_back({{traced[j].wall, captured[i].wall - traced[j].wall,
                                 captured[i].frame, traced[j].is_sent},
                                traced[j].hash});
  std::ranges::sort(candidates, [](const Guess& one, const Guess& other) {
    return one.packet.frame != other.packet.frame ? one.packet.frame < other.packet.frame
                                                  : one.packet.wall < other.packet.wall;
  });
  return candidates;
}

// How much two differences may differ where no clock was set.
double allowed(const SeenTwice& one, const SeenTwice& other) {
  return static_cast<double>(kAlike) +
         kMostDrift * std::abs(static_cast<double>(other.wall - one.wall));
}

class Chain {
 public:
  explicit Chain(std::vector<Guess>& candidates) : candidates_(candidates) {
    for (std::size_t begin = 0; begin < candidates.size();) {
      std::size_t end = begin;
      while (end < candidates.size() &&
             candidates[end].packet.frame == candidates[begin].packet.frame)
        ++end;
      for (std::size_t i = begin; i < end; ++i) append(i);
      for (std::size_t i = begin; i < end; ++i) keep(i);
      begin = end;
    }
  }

  std::vector<std::size_t> best() const {
    std::vector<std::size_t> chain;
    for (std::size_t i = best_; i != kNothing; i = candidates_[i].before) chain.push_back(i);
    std::ranges::reverse(chain);
    return chain;
  }

 private:
  void append(std::size_t number) {
    Guess& candidate = candidates_[number];
    const Ns apart = std::min(kAlike, std::abs(candidate.packet.difference));
    candidate.score = 1 + kGainOfAgreement * (1 - static_cast<double>(apart) / kAlike);
    const auto go_on = [&](std::size_t i) {
      const std::optional<double> gain = gain_behind(candidates_[i].packet, candidate.packet);
      if (!gain || candidates_[i].score + *gain <= candidate.score) return;
      candidate.score = candidates_[i].score + *gain;
      candidate.before = i;
    };
    std::ranges::for_each(live_, go_on);
    std::ranges::for_each(tracks_, go_on);
  }

  static std::optional<double> gain_behind(const SeenTwice& before, const SeenTwice& packet) {
    const double apart =
        std::abs(static_cast<double>(packet.difference) - static_cast<double>(before.difference));
    const double most = allowed(before, packet);
    if (apart <= most) return 1 - kCostOfScatter * apart / most;
    // A clock may be set to another time, but time itself goes on.
    if (packet.wall <= before.wall) return std::nullopt;
    return 1 - kCostOfStep;
  }

  // A chain that is behind by as much as a step costs need not be gone on with, except by packets
  // that agree with its last.
  void keep(std::size_t number) {
    keep_track(number);
    live_.push_back(number);
    if (live_.size() > kMostLive) keep_half();
    if (best_ != kNothing && candidates_[number].score <= candidates_[best_].score) return;
    best_ = number;
    const double least = candidates_[number].score - kCostOfStep - kGainOfAgreement - 1;
    std::erase_if(live_, [&](std::size_t i) { return candidates_[i].score < least; });
  }

  void keep_half() {
    const auto half = live_.begin() + kMostLive / 2;
    std::ranges::nth_element(live_, half, std::greater{},
                             [&](std::size_t i) { return std::pair(candidates_[i].score, i); });
    live_.erase(half, live_.end());
  }

  void keep_track(std::size_t number) {
    const auto track = [&](std::size_t i) { return candidates_[i].packet.difference / kAlike; };
    const auto score = [&](std::size_t i) { return candidates_[i].score; };
    const auto known = std::ranges::find(tracks_, track(number), track);
    if (known != tracks_.end()) {
      if (score(*known) <= score(number)) *known = number;
      return;
    }
    tracks_.push_back(number);
    if (tracks_.size() > kMostTracks) tracks_.erase(std::ranges::min_element(tracks_, {}, score));
  }

  std::vector<Guess>& candidates_;
  std::vector<std::size_t> live_;    // the last packets of chains that are nearly the best
  std::vector<std::size_t> tracks_;  // of the best chain at each difference
  std::size_t best_ = kNothing;
};

std::vector<std::vector<SeenTwice>> runs_of(const std::vector<Guess>& candidates,
                                            const std::vector<std::size_t>& chain) {
  std::vector<std::vector<SeenTwice>> runs;
  for (const std::size_t i : chain) {
    const SeenTwice& packet = candidates[i].packet;
    const bool goes_on =
        !runs.empty() &&
        std::abs(static_cast<double>(packet.difference - runs.back().back().difference)) <=
            allowed(runs.back().back(), packet);
    if (!goes_on) runs.emplace_back();
    runs.back().push_back(packet);
  }
  return runs;
}

// The difference, of those that were not chosen, that fits most packets; relative to the chosen
// one.
void find_other(const std::vector<Guess>& candidates, const std::vector<std::size_t>& chain,
                CaptureVote& vote) {
  struct Other {
    Ns more = 0;
    std::uint32_t frame = 0;
  };
  std::vector<Other> others;
  auto chosen = chain.begin();
  for (const Guess& candidate : candidates) {
    // The one chosen before it, or the first.
    while (chosen + 1 != chain.end() &&
           candidates[*(chosen + 1)].packet.frame <= candidate.packet.frame)
      ++chosen;
    const Ns more = candidate.packet.difference - candidates[*chosen].packet.difference;
    if (std::abs(more) > 2 * kAlike) others.push_back({more, candidate.packet.frame});
  }
  std::ranges::sort(others, {}, &Other::more);
  std::unordered_multiset<std::uint32_t> frames;
  std::size_t distinct = 0;
  for (std::size_t first = 0, end = 0; first < others.size(); ++first) {
    for (; end < others.size() && others[end].more <= others[first].more + kAlike; ++end) {
      if (!frames.contains(others[end].frame)) ++distinct;
      frames.insert(others[end].frame);
    }
    if (distinct > vote.fitting_other) {
      vote.fitting_other = distinct;
      vote.other = others[first].more;
    }
    frames.erase(frames.find(others[first].frame));
    if (!frames.contains(others[first].frame)) --distinct;
  }
}

VoteDoubt doubt_of(const CaptureVote& vote) {
  if (vote.agreeing < kLeastVotes) return VoteDoubt::kTooFew;
  if (2 * vote.agreeing <= vote.voters) return VoteDoubt::kNoMajority;
  const bool agrees = std::ranges::all_of(vote.runs, [](const std::vector<SeenTwice>& run) {
    return std::abs(run.front().difference) <= kAlike;
  });
  return !agrees && vote.fitting < vote.fitting_other + kLeastVotes ? VoteDoubt::kTwoAnswers
                                                                    : VoteDoubt::kNone;
}

}  // namespace

CaptureVote vote(const std::vector<TracedPacket>& traced,
                 const std::vector<CapturedPacket>& captured) {
  CaptureVote vote;
  std::vector<Voter> voters = voters_of(traced, captured, vote.in_both);
  thin(voters);
  vote.voters = voters.size();
  std::vector<Guess> candidates = candidates_of(traced, captured, voters);
  const std::vector<std::size_t> chain = Chain(candidates).best();
  std::unordered_set<std::uint32_t> hashes;
  for (const std::size_t i : chain) hashes.insert(candidates[i].hash);
  vote.agreeing = hashes.size();
  vote.fitting = chain.size();
  vote.runs = runs_of(candidates, chain);
  find_other(candidates, chain, vote);
  vote.doubt = doubt_of(vote);
  return vote;
}

}  // namespace kutrace::align
