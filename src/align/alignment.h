// SPDX-License-Identifier: BSD-3-Clause
// Several machines on the first one's clock. In: what each sent and received, and its wall clock;
// out: a map of each machine's times, and how well it is known.
//
// A machine that exchanged messages with the first is mapped by those; one that did not, by way of
// another that is mapped already, the best known way first. Wall clocks count only where there are
// no messages, and only if asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "align/clock_fit.h"
#include "align/seen_packets.h"
#include "base/units.h"

namespace kutrace::align {

struct Aligned {
  std::vector<ClockMap> maps;   // from its times to the first machine's, one after the other
  std::size_t by = 0;           // the machine whose messages told; its own number: nobody's
  std::optional<ClockFit> fit;  // from its clock to that machine's; nothing where by is itself
  std::optional<Ns> within;     // so far its times may be from the first machine's

  Ns operator()(Ns time) const;
};

// By machine. Nothing for one that no messages in both directions lead to.
std::vector<std::optional<Aligned>> align_by_messages(const std::vector<SeenPackets>& machines);

// The same, but that such a machine's wall clock is believed, and those that it talked to are
// aligned by way of it. `wall_usec`: each machine's wall clock at its time 0.
std::vector<Aligned> align_by_wall_clock(const std::vector<SeenPackets>& machines,
                                         const std::vector<std::uint64_t>& wall_usec);

}  // namespace kutrace::align
