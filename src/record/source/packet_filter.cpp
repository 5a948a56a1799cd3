// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a filter of packets.
#include "record/source/packet_filter.h"

#include <optional>
#include <string_view>

#include "base/number_text.h"
#include "kutrace/control.h"

namespace kutrace::record {

namespace {

constexpr unsigned kMaskedBytes = 24;

// "0xf", "15", "-1", as insmod takes them.
std::optional<std::uint32_t> number_of(std::string_view text) {
  if (text == "-1") return KUTRACE_PACKET_ALL;
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  return parse_number<std::uint32_t>(text, is_hexadecimal ? 16 : 10);
}

}  // namespace

Result<PacketFilter> PacketFilter::parse(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto mask = number_of(std::string_view(text).substr(0, colon));
  const auto match = colon == text.npos ? std::optional<std::uint32_t>(0)
                                        : number_of(std::string_view(text).substr(colon + 1));
  const bool is_mask = mask && (*mask == KUTRACE_PACKET_ALL || *mask >> kMaskedBytes == 0);
  if (!is_mask || !match) {
    return fail(usage_error("--packets " + text + " is not MASK or MASK:MATCH")
                    .with_hint("a mask has a bit for each of the payload's first 24 bytes: "
                               "0xf:0xd1c517e5 compares four; -1 takes all packets, 0 none"));
  }
  return PacketFilter{*mask, *match};
}

std::array<std::uint32_t, 6> PacketFilter::word_masks() const {
  std::array<std::uint32_t, 6> masks{};
  if (mask == KUTRACE_PACKET_ALL) return masks;
  for (unsigned byte = 0; byte < kMaskedBytes; ++byte) {
    if ((mask >> byte & 1) != 0) masks.at(byte / 4) |= 0xffu << (byte % 4 * 8);
  }
  return masks;
}

// Without bytes to compare the words come to 0.
std::uint32_t PacketFilter::sum() const {
  if (mask == KUTRACE_PACKET_ALL) return 0;
  return mask == 0 ? 1 : match;
}

}  // namespace kutrace::record
