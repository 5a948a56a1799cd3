// SPDX-License-Identifier: BSD-3-Clause
// Records to points.
#include "spans/captured_packets.h"

#include <fmt/format.h>

#include "base/text.h"
#include "format/event_table.h"

namespace kutrace::spans {

CapturedPackets::CapturedPackets(const std::vector<PacketRecord>& packets, const TraceClock& clock,
                                 Ns begin, NameTable& names, SpanSink& sink)
    : packets_(packets), clock_(clock), names_(names), sink_(sink) {
  find_next();
  while (next_ < begin) {
    ++at_;
    find_next();
  }
}

void CapturedPackets::find_next() {
  next_ = at_ < packets_.size() ? clock_.to_ns(packets_[at_].at) : kNone;
}

void CapturedPackets::until(Ns time) {
  for (; next_ <= time && next_ != kNone; find_next()) {
    const PacketRecord& packet = packets_[at_++];
    Span span;
    span.start = next_;
    span.event = ev::kCAPTURED;
    span.arg = packet.bytes;
    span.name =
        names_.intern(fmt::format("{} {}", point_name(ev::kCAPTURED), printable(packet.name)));
    span.kind = SpanKind::kPoint;
    sink_.push(span);
  }
}

}  // namespace kutrace::spans
