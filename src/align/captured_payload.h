// SPDX-License-Identifier: BSD-3-Clause
// What a recorder would have made of a captured packet. In: a frame; out: the hash of its payload
// or why it has none, whose message it is, and what people call it.
#pragma once

#include <cstdint>
#include <string>

#include "align/capture_file.h"

namespace kutrace::align {

enum class PayloadState {
  kHashed,
  kOther,  // not TCP or UDP, right behind IP, with 32 bytes of payload or more: recorders skip it,
           // too
  kCut,    // the capture kept too little of it
};

struct CapturedPayload {
  PayloadState state = PayloadState::kOther;
  std::uint32_t hash = 0;  // exclusive or of the payload's first eight words of 4 bytes
  // "10.0.0.1:443 > 10.0.0.2:5000", UDP's with "udp " in front; of others "icmp 10.0.0.1 >
  // 10.0.0.2", "arp".
  std::string flow;
  std::string flags;        // of TCP, as tcpdump prints them: "[S.]"
  std::uint32_t bytes = 0;  // of what TCP or else IP carries, or UDP says so; else of the frame
};

CapturedPayload payload_of(const CapturedFrame& frame);

}  // namespace kutrace::align
