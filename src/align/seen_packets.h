// SPDX-License-Identifier: BSD-3-Clause
// When a machine sent and received which packets. In: its raw trace; out: hash and time of each
// packet that can be told from all others.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time_window.h"
#include "base/units.h"
#include "timeline/trace_layout.h"

namespace kutrace::align {

struct SeenPacket {
  std::uint32_t hash = 0;
  Ns time = 0;

  auto operator<=>(const SeenPacket&) const = default;
};

// By hash; each hash once.
struct SeenPackets {
  std::vector<SeenPacket> sent;
  std::vector<SeenPacket> received;
  std::uint64_t alike = 0;  // left out, as several had one hash: sent again, or of the same bytes
  TimeWindow recorded;      // the whole recording, by the machine's own clock
};

SeenPackets seen_packets(const timeline::TraceLayout& layout);

}  // namespace kutrace::align
