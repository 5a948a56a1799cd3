// SPDX-License-Identifier: BSD-3-Clause
// Texts to records.
#include "timeline/captured_packets.h"

#include <algorithm>

#include "format/event_table.h"
#include "timeline/preamble_texts.h"

namespace kutrace::timeline {

std::vector<PacketRecord> captured_packets(const TraceLayout& layout) {
  std::vector<PacketRecord> packets = preamble_records(layout, kind::kCOUNTER, parse_packet_record);
  // A trace of several machines tells them machine by machine.
  std::ranges::stable_sort(packets, {}, &PacketRecord::at);
  return packets;
}

}  // namespace kutrace::timeline
