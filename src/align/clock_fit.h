// SPDX-License-Identifier: BSD-3-Clause
// One machine's clock by another's, from messages that went both ways. In: when each message was
// sent and received, by the clock there; out: the map between the clocks, and within what it is
// true.
//
// Nothing is assumed of how long a message was under way, but that it took time. So messages one
// way bound the offset from below, those the other way from above, and the quickest of both bound
// it best. Where one line fits them no more, the clock jumped or changed its rate: a new piece
// begins.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "align/clock_map.h"
#include "align/seen_packets.h"
#include "base/units.h"

namespace kutrace::align {

struct Message {
  Ns own = 0;           // when it was sent or received by the clock that is to be mapped
  Ns reference = 0;     // and at the other end, by the other clock
  bool is_own = false;  // the own machine sent it

  auto operator<=>(const Message&) const = default;
};

// Messages between two machines, in order of `own`: packets that one sent and the other received.
std::vector<Message> matched(const SeenPackets& own, const SeenPackets& reference);

struct ClockFit {
  ClockMap map;  // from the own clock to the reference's
  // By piece of the map: so far the offset may be from the map's, given that clocks drift evenly
  // within a piece; nothing where messages went one way only. The first and the last hold from the
  // recording's begin and to its end.
  std::vector<std::optional<Ns>> within;
  std::uint64_t sent = 0;           // messages of the own machine
  std::uint64_t received = 0;       // and of the other
  std::uint64_t contradictory = 0;  // fit nothing around them, and are left out
};

// At least one message. `recorded`: by the own clock; at least the time of the messages.
ClockFit fit_clock(std::span<const Message> messages, TimeWindow recorded);

}  // namespace kutrace::align
