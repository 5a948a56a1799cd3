// SPDX-License-Identifier: BSD-3-Clause
// A capture of packets beside a trace of the same machine. In: when the trace and the capture saw
// which hashes; out: which packets are in both, and how the capture's clock differs from the
// trace's wall clock.
//
// Packets with the same hash are paired in their order, as many and as near in time as possible.
// The difference of clocks is the median of those around; what is left is the error: how much later
// or earlier the capture took its packets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "align/capture_clock.h"
#include "base/units.h"

namespace kutrace::align {

struct TracedPacket {
  std::uint32_t hash = 0;
  Ns wall = 0;  // by the trace's wall clock
  bool is_sent = false;

  auto operator<=>(const TracedPacket&) const = default;
};

struct CapturedPacket {
  std::uint32_t hash = 0;
  Ns wall = 0;              // by the capture's clock
  std::uint32_t frame = 0;  // of the capture

  auto operator<=>(const CapturedPacket&) const = default;
};

struct CaptureMatch {
  std::uint64_t sent = 0;  // in both, by what the trace says
  std::uint64_t received = 0;
  std::uint64_t captured_only = 0;
  std::uint64_t traced_only = 0;  // while the capture went on
  Ns ahead = 0;                   // of the trace's wall clock, where the first packet of both is
  // What remains after the clocks' difference, without sign: half, 95 % and all are below.
  Ns median_error = 0;
  Ns p95_error = 0;
  Ns most_error = 0;

  std::vector<std::uint32_t> frames;  // of the capture that are in both, ascending
  CaptureClock clock;

  std::uint64_t matched() const { return sent + received; }
};

// Either in any order.
CaptureMatch match_capture(std::vector<TracedPacket> traced, std::vector<CapturedPacket> captured);

}  // namespace kutrace::align
