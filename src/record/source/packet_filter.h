// SPDX-License-Identifier: BSD-3-Clause
// Which packets are recorded, as KUtrace's pktmask and pktmatch say it. In: "MASK[:MATCH]"; out:
// both numbers, and what a source compares.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace kutrace::record {

struct PacketFilter {
  // A bit for each of the payload's first 24 bytes, whether it counts. None: no packet; all 32: any
  // packet (KUTRACE_PACKET_ALL).
  std::uint32_t mask = 0xffff'ffff;
  // The exclusive or of the payload's words of 4 bytes, little-endian, but for bytes that do not
  // count.
  std::uint32_t match = 0;

  // MATCH is 0 where it is left out.
  static Result<PacketFilter> parse(const std::string& text);

  // What each word of the payload is masked with, and what the words then come to.
  std::array<std::uint32_t, 6> word_masks() const;
  std::uint32_t sum() const;
};

}  // namespace kutrace::record
