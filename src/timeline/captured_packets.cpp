// SPDX-License-Identifier: BSD-3-Clause
// Texts to records.
#include "timeline/captured_packets.h"

#include <algorithm>
#include <string>
#include <utility>

#include "format/event_table.h"
#include "timeline/preamble_texts.h"

namespace kutrace::timeline {

std::vector<PacketRecord> captured_packets(const TraceLayout& layout) {
  std::vector<PacketRecord> packets;
  for (const std::string& text : preamble_texts(layout, kind::kCOUNTER)) {
    if (auto packet = parse_packet_record(text)) packets.push_back(std::move(*packet));
  }
  // A trace of several machines tells them machine by machine.
  std::ranges::stable_sort(packets, {}, &PacketRecord::at);
  return packets;
}

}  // namespace kutrace::timeline
