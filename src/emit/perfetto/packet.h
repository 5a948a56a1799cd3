// SPDX-License-Identifier: BSD-3-Clause
// One packet of the sequence that TrackEvents are in. In: what fills it; out: its bytes.
#pragma once

#include "emit/stream/export_sink.h"
#include "emit/stream/protobuf.h"
#include "format/perfetto_fields.h"

namespace kutrace::emit {

constexpr std::uint64_t kTrackSequence = 1;

// `fill` is given the packet, within which messages begin and end.
template <typename Fill>
void give_packet(const TakeBytes& take, const Fill& fill) {
  Protobuf packet;
  const Protobuf::Message outer = packet.begin_long(perfetto::trace::kPacket);
  packet.number(perfetto::trace_packet::kTrustedPacketSequenceId, kTrackSequence);
  fill(packet);
  packet.end(outer);
  take(packet.bytes());
}

}  // namespace kutrace::emit
