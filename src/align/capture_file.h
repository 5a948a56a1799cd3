// SPDX-License-Identifier: BSD-3-Clause
// Files of captured packets: pcap (either order of bytes, micro- or nanoseconds) and pcapng. In:
// the bytes of a file; out: its packets, one after the other. What stands behind damage is left
// out, and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/result.h"
#include "base/units.h"

namespace kutrace::align {

// Numbers of link-layer headers (LINKTYPE_*, tcpdump.org).
enum class LinkType : std::uint32_t {
  kNull = 0,  // BSD loopback: 4 bytes, the family
  kEthernet = 1,
  kOldRaw = 12,   // as kRaw, by its number on most systems
  kRaw = 101,     // begins with the IP header
  kLoop = 108,    // OpenBSD loopback, likewise 4 bytes
  kCooked = 113,  // Linux, `-i any`
  kIpv4 = 228,
  kIpv6 = 229,
  kCooked2 = 276,
};

struct CapturedFrame {
  std::optional<Ns> wall;  // ns since 1970; simple packets of pcapng have none
  LinkType link = LinkType::kEthernet;
  std::span<const std::byte> bytes;  // as many as were kept
  std::uint32_t length = 0;          // of the whole frame, in bytes
};

struct CaptureSummary {
  std::uint64_t frames = 0;
  std::uint64_t damaged = 0;  // bytes that could not be read
};

bool is_capture(std::span<const std::byte> bytes);

// An input error where this is no capture.
Result<CaptureSummary> read_capture(std::span<const std::byte> bytes,
                                    const std::function<void(const CapturedFrame&)>& frame);

}  // namespace kutrace::align
