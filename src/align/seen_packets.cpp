// SPDX-License-Identifier: BSD-3-Clause
// Collecting hashes of packets.
#include "align/seen_packets.h"

#include <algorithm>

#include "format/event_table.h"
#include "timeline/event_stream.h"

namespace kutrace::align {

namespace {

// Which of several was received, or sent, is not known. Returns how many were left out.
std::uint64_t keep_single(std::vector<SeenPacket>& packets) {
  std::ranges::sort(packets);
  std::vector<SeenPacket> kept;
  for (std::size_t i = 0; i < packets.size();) {
    std::size_t end = i + 1;
    while (end < packets.size() && packets[end].hash == packets[i].hash) ++end;
    if (end - i == 1) kept.push_back(packets[i]);
    i = end;
  }
  const std::uint64_t left_out = packets.size() - kept.size();
  packets = std::move(kept);
  return left_out;
}

}  // namespace

SeenPackets seen_packets(const timeline::TraceLayout& layout) {
  SeenPackets seen;
  seen.recorded = {layout.begin, layout.end};
  timeline::EventStream stream(layout);
  stream.run([&seen](const timeline::Event& event) {
    if (event.cpu == kNoCpu) return;
    seen.recorded.end = std::max(seen.recorded.end, event.time + event.duration);
    if (event.entry.number == ev::kTX_PACKET) seen.sent.push_back({event.entry.arg, event.time});
    if (event.entry.number == ev::kRX_PACKET)
      seen.received.push_back({event.entry.arg, event.time});
  });
  seen.alike = keep_single(seen.sent) + keep_single(seen.received);
  return seen;
}

}  // namespace kutrace::align
