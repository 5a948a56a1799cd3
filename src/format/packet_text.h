// SPDX-License-Identifier: BSD-3-Clause
// Packets that were captured and that the recorder did not see, and their texts among COUNTER
// entries (doc/trace-format.md). In: a record; out: its text; and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace kutrace {

struct PacketRecord {
  Ticks at = 0;             // the trace's counter
  std::uint32_t bytes = 0;  // of what TCP, UDP or else IP carries; else of the frame
  std::string name;         // "10.0.0.1:443 > 10.0.0.2:5000 [S.]"

  bool operator==(const PacketRecord&) const = default;
};

std::string record_text(const PacketRecord& packet);

// Nothing if the text has another form.
std::optional<PacketRecord> parse_packet_record(std::string_view text);

}  // namespace kutrace
