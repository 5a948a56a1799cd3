// SPDX-License-Identifier: BSD-3-Clause
// A capture of packets beside a trace of the same machine. In: when the trace and the capture saw
// which hashes; out: which packets are in both, and how the capture's clock differs from the
// trace's wall clock.
//
// What packets with a rare hash say about the clocks finds all others: packets with the same hash
// are paired in their order, as many and as near in time as possible. The difference of clocks is
// the median of those around; what is left is the error: how much later or earlier the capture took
// its packets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/capture_clock.h"
#include "align/capture_packets.h"
#include "align/capture_vote.h"
#include "base/units.h"

namespace kutrace::align {

struct CaptureMatch {
  std::uint64_t sent = 0;  // in both, by what the trace says
  std::uint64_t received = 0;
  std::uint64_t captured_only = 0;
  std::uint64_t traced_only = 0;  // while the capture went on
  // What remains after the clocks' difference, without sign: half, 95 % and all are below.
  Ns median_error = 0;
  Ns p95_error = 0;
  Ns most_error = 0;

  std::vector<std::uint32_t> frames;  // of the capture that are in both, ascending
  CaptureVote vote;                   // where it is in doubt, nothing else is known
  CaptureClock clock;

  std::uint64_t matched() const { return sent + received; }
};

// Packets in any order; `walls` as CaptureClock has them.
CaptureMatch match_capture(std::vector<TracedPacket> traced, std::vector<CapturedPacket> captured,
                           std::span<const Ns> walls);

}  // namespace kutrace::align
