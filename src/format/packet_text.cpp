// SPDX-License-Identifier: BSD-3-Clause
// A word says what is told; the rest is fields.
#include "format/packet_text.h"

#include <fmt/format.h>

#include "format/text_fields.h"

namespace kutrace {

namespace {

constexpr std::string_view kPacket = "packet";

}  // namespace

std::string record_text(const PacketRecord& packet) {
  return fmt::format("{} {:x} {} {}", kPacket, packet.at, packet.bytes, packet.name);
}

std::optional<PacketRecord> parse_packet_record(std::string_view text) {
  TextFields fields(text);
  if (fields.word() != kPacket) return std::nullopt;
  PacketRecord packet;
  packet.at = fields.number<Ticks>(16);
  packet.bytes = fields.number<std::uint32_t>(10);
  packet.name = fields.rest();
  if (!fields.good() || packet.name.empty()) return std::nullopt;
  return packet;
}

}  // namespace kutrace
