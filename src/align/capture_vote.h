// SPDX-License-Identifier: BSD-3-Clause
// How far the clock of a capture is from a trace's, told by packets whose hash is rare in both. In:
// when each saw which hashes; out: packets that agree, in runs; between two runs the capture's
// clock was set. Any difference is found, if enough packets agree on it and on no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "align/capture_packets.h"

namespace kutrace::align {

enum class VoteDoubt {
  kNone,
  kTooFew,      // less than kLeastVotes packets agree
  kNoMajority,  // half of the packets, or less, agree
  kTwoAnswers,  // about as many agree on another difference
};

constexpr std::size_t kLeastVotes = 3;

struct CaptureVote {
  std::vector<std::vector<SeenTwice>> runs;  // in the order of the capture; none is empty
  std::size_t in_both = 0;                   // hashes
  std::size_t voters = 0;                    // of them: rare in both
  std::size_t agreeing = 0;                  // of them
  // Packets, and those of them that fit another difference, that many ns more.
  std::size_t fitting = 0;
  std::size_t fitting_other = 0;
  Ns other = 0;
  VoteDoubt doubt = VoteDoubt::kNone;
};

// Both in order of hash, then time.
CaptureVote vote(const std::vector<TracedPacket>& traced,
                 const std::vector<CapturedPacket>& captured);

}  // namespace kutrace::align
