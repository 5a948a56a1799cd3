// SPDX-License-Identifier: BSD-3-Clause
// Headers of link, IP and TCP or UDP. The hash is that of the recorders: KUtrace's.
#include "align/captured_payload.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace kutrace::align {

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kHashedBytes = 32;
constexpr unsigned kTcp = 6;
constexpr unsigned kUdp = 17;
constexpr unsigned kEtherIpv4 = 0x0800;
constexpr unsigned kEtherIpv6 = 0x86dd;
constexpr unsigned kEtherTag = 0x8100;       // 802.1Q
constexpr unsigned kEtherOuterTag = 0x88a8;  // 802.1ad
constexpr unsigned kTagBytes = 4;
constexpr unsigned kLeastIpv4 = 20;
constexpr unsigned kIpv6Bytes = 40;
constexpr unsigned kUdpBytes = 8;
constexpr unsigned kLeastTcp = 20;
constexpr unsigned kHopByHop = 0;
constexpr unsigned kRouting = 43;
constexpr unsigned kFragment = 44;
constexpr unsigned kDestination = 60;

unsigned byte_at(Bytes bytes, std::size_t offset) {
  return std::to_integer<unsigned>(bytes[offset]);
}

// In the order of the network.
unsigned u16_at(Bytes bytes, std::size_t offset) {
  return byte_at(bytes, offset) << 8 | byte_at(bytes, offset + 1);
}

// Where a type of Ethernet stands in a header of the link.
std::optional<std::size_t> type_offset(LinkType link) {
  switch (link) {
    case LinkType::kEthernet:
      return 12;
    case LinkType::kCooked:
      return 14;
    case LinkType::kCooked2:
      return 0;
    default:
      return std::nullopt;
  }
}

// From the IP header on; empty if there is none. `type`: of Ethernet, where the link tells it.
Bytes without_link(const CapturedFrame& frame, unsigned& type) {
  constexpr std::size_t kCooked2Header = 20;
  constexpr std::size_t kFamily = 4;
  const Bytes all = frame.bytes;
  const auto from = [&](std::size_t begin) {
    return begin < all.size() ? all.subspan(begin) : Bytes();
  };
  const auto type_at = type_offset(frame.link);
  if (!type_at) {
    const bool has_family = frame.link == LinkType::kNull || frame.link == LinkType::kLoop;
    const bool is_ip = frame.link == LinkType::kRaw || frame.link == LinkType::kOldRaw ||
                       frame.link == LinkType::kIpv4 || frame.link == LinkType::kIpv6;
    return has_family ? from(kFamily) : is_ip ? all : Bytes();
  }
  std::size_t at = *type_at;
  while (at + 2 <= all.size()) {
    type = u16_at(all, at);
    if (type != kEtherTag && type != kEtherOuterTag) {
      if (type != kEtherIpv4 && type != kEtherIpv6) return {};
      return from(frame.link == LinkType::kCooked2 ? kCooked2Header : at + 2);
    }
    at += kTagBytes;
  }
  return {};
}

struct Ip {
  std::size_t header = 0;   // with those that extend it
  std::size_t payload = 0;  // bytes behind the header; 0: more than 64 KiB
  unsigned protocol = 0;
  bool is_v6 = false;
  bool is_later_fragment = false;  // TCP's or UDP's header is in an earlier one
  bool is_extended = false;        // by headers of IPv6, at which recorders stop
};

// Goes past the headers between that of IPv6 and what it carries.
void skip_extensions(Bytes packet, Ip& ip) {
  constexpr std::size_t kUnit = 8;
  while (packet.size() >= ip.header + kUnit && !ip.is_later_fragment) {
    const bool is_fragment = ip.protocol == kFragment;
    if (!is_fragment && ip.protocol != kHopByHop && ip.protocol != kRouting &&
        ip.protocol != kDestination)
      return;
    const std::size_t bytes = is_fragment ? kUnit : (byte_at(packet, ip.header + 1) + 1) * kUnit;
    if (ip.payload != 0 && ip.payload <= bytes) return;
    if (is_fragment) ip.is_later_fragment = u16_at(packet, ip.header + 2) >> 3 != 0;
    ip.protocol = byte_at(packet, ip.header);
    ip.header += bytes;
    ip.payload -= ip.payload == 0 ? 0 : bytes;
    ip.is_extended = true;
  }
}

std::optional<Ip> ip_of(Bytes packet) {
  if (packet.empty()) return std::nullopt;
  const unsigned version = byte_at(packet, 0) >> 4;
  Ip ip;
  if (version == 4 && packet.size() >= kLeastIpv4) {
    ip.header = (byte_at(packet, 0) & 15) * 4;
    const unsigned total = u16_at(packet, 2);
    ip.is_later_fragment = (u16_at(packet, 6) & 0x1fff) != 0;
    if (ip.header < kLeastIpv4 || (total != 0 && total < ip.header)) return std::nullopt;
    ip.payload = total == 0 ? 0 : total - ip.header;
    ip.protocol = byte_at(packet, 9);
    return ip;
  }
  if (version == 6 && packet.size() >= kIpv6Bytes) {
    ip.header = kIpv6Bytes;
    ip.payload = u16_at(packet, 4);
    ip.protocol = byte_at(packet, 6);
    ip.is_v6 = true;
    skip_extensions(packet, ip);
    return ip;
  }
  return std::nullopt;
}

std::string address_text(Bytes packet, std::size_t address, bool is_v6) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(is_v6 ? AF_INET6 : AF_INET, packet.data() + address, text.data(), text.size());
  return text.data();
}

std::string protocol_text(unsigned protocol) {
  constexpr unsigned kIcmp = 1;
  constexpr unsigned kIgmp = 2;
  constexpr unsigned kIcmp6 = 58;
  switch (protocol) {
    case kIcmp:
      return "icmp";
    case kIgmp:
      return "igmp";
    case kTcp:
      return "tcp";
    case kUdp:
      return "udp";
    case kIcmp6:
      return "icmp6";
    default:
      return fmt::format("protocol {}", protocol);
  }
}

// From where to where, as far as `packet` tells it.
std::string flow_text(Bytes packet, const Ip& ip, bool has_ports) {
  const std::size_t source = ip.is_v6 ? 8 : 12;
  const std::size_t bytes = ip.is_v6 ? 16 : 4;
  std::string from = address_text(packet, source, ip.is_v6);
  std::string to = address_text(packet, source + bytes, ip.is_v6);
  if (!has_ports) return fmt::format("{} {} > {}", protocol_text(ip.protocol), from, to);
  const auto with_port = [&](const std::string& address, std::size_t offset) {
    const unsigned port = u16_at(packet, ip.header + offset);
    return ip.is_v6 ? fmt::format("[{}]:{}", address, port) : fmt::format("{}:{}", address, port);
  };
  return fmt::format("{}{} > {}", ip.protocol == kUdp ? "udp " : "", with_port(from, 0),
                     with_port(to, 2));
}

// In the order and with the letters of tcpdump.
std::string flags_text(unsigned flags) {
  constexpr std::string_view kLetters = "FSRP.UEW";
  std::string text;
  for (std::size_t bit = 0; bit < kLetters.size(); ++bit)
    if ((flags >> bit & 1) != 0) text += kLetters[bit];
  return fmt::format("[{}]", text.empty() ? "none" : text);
}

std::string ether_text(unsigned type) {
  constexpr unsigned kEtherArp = 0x0806;
  constexpr unsigned kLongest = 1500;  // up to here it is the length of a frame of IEEE 802.3
  if (type == kEtherArp) return "arp";
  return type <= kLongest ? "frame" : fmt::format("ethertype 0x{:04x}", type);
}

// What UDP says it carries, which may be in several fragments, or followed by something else. 0 is
// more than its header can tell.
std::size_t udp_bytes(unsigned length, std::size_t carried) {
  return length == 0 ? carried - std::min<std::size_t>(carried, kUdpBytes)
                     : length - std::min(length, kUdpBytes);
}

std::uint32_t hash_of(Bytes payload) {
  std::uint32_t hash = 0;
  for (std::size_t at = 0; at < kHashedBytes; at += sizeof hash) {
    std::uint32_t word = 0;
    std::memcpy(&word, payload.data() + at, sizeof word);
    hash ^= word;
  }
  return hash;
}

}  // namespace

CapturedPayload payload_of(const CapturedFrame& frame) {
  CapturedPayload result;
  unsigned type = 0;
  const Bytes packet = without_link(frame, type);
  const std::optional<Ip> ip = ip_of(packet);
  if (!ip) {
    result.flow = ether_text(type);
    result.bytes = frame.length;
    return result;
  }
  // Of what was not kept the lengths tell.
  const std::size_t in_front = frame.bytes.size() - packet.size() + ip->header;
  const std::size_t carried =
      ip->payload != 0 ? ip->payload : frame.length - std::min<std::size_t>(frame.length, in_front);
  const bool is_tcp = ip->protocol == kTcp;
  const bool is_known = (is_tcp || ip->protocol == kUdp) && !ip->is_later_fragment;
  const std::size_t least = is_tcp ? kLeastTcp : kUdpBytes;
  const bool has_header = is_known && packet.size() >= ip->header + least;
  result.flow = flow_text(packet, *ip, has_header);
  result.bytes = static_cast<std::uint32_t>(carried);
  if (!is_known) return result;
  if (!has_header) {
    result.state = ip->is_extended ? PayloadState::kOther : PayloadState::kCut;
    return result;
  }
  const std::size_t transport = is_tcp ? (byte_at(packet, ip->header + 12) >> 4) * 4 : kUdpBytes;
  if (is_tcp) result.flags = flags_text(byte_at(packet, ip->header + 13));
  result.bytes =
      static_cast<std::uint32_t>(is_tcp ? carried - std::min(carried, transport)
                                        : udp_bytes(u16_at(packet, ip->header + 4), carried));
  if (ip->is_extended || transport < least ||
      (ip->payload != 0 && ip->payload < transport + kHashedBytes))
    return result;
  const std::size_t payload = ip->header + transport;
  const bool is_whole = packet.size() >= payload + kHashedBytes;
  result.state = is_whole ? PayloadState::kHashed : PayloadState::kCut;
  if (is_whole) result.hash = hash_of(packet.subspan(payload));
  return result;
}

}  // namespace kutrace::align
