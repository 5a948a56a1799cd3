// SPDX-License-Identifier: BSD-3-Clause
// Texts of captured packets, and texts that are none.
#include <catch2/catch.hpp>

#include "format/packet_text.h"

namespace kutrace {

TEST_CASE("a captured packet's text reads back as the same packet") {
  const PacketRecord packet{0x1a2b3c, 1460, "10.0.0.1:443 > 10.0.0.2:5000 [P.]"};
  CHECK(record_text(packet) == "packet 1a2b3c 1460 10.0.0.1:443 > 10.0.0.2:5000 [P.]");
  CHECK(parse_packet_record(record_text(packet)) == packet);
  for (const char* const other :
       {"", "packet", "packet 1a2b3c", "packet 1a2b3c 1460", "packet 1a2b3c 1460 ",
        "packet xyz 1460 arp", "packet 1a2b3c -1 arp", "packet 1a2b3c 4294967296 arp",
        "reading 1a2b3c 1=2", "packets 1a2b3c 1460 arp"}) {
    CAPTURE(other);
    CHECK_FALSE(parse_packet_record(other));
  }
}

}  // namespace kutrace
