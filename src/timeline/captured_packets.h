// SPDX-License-Identifier: BSD-3-Clause
// Packets that were captured beside a raw trace. In: its layout; out: records in order of time,
// still counters of the trace.
#pragma once

#include <vector>

#include "format/packet_text.h"

namespace kutrace::timeline {

struct TraceLayout;

// Texts that do not parse are left out.
std::vector<PacketRecord> captured_packets(const TraceLayout& layout);

}  // namespace kutrace::timeline
