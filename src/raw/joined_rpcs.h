// SPDX-License-Identifier: BSD-3-Clause
// Which RPCs of several machines are one. In: the machines' traces; out: the number that each of
// their RPC points has in the trace of all.
//
// An RPC begins at the point of its request, and ends at the point of its response. A thread of
// another machine serves it that begins one of the same number when a packet has arrived that was
// sent for it, before it ends. Who says the same number without such a packet works for an RPC of
// his own machine, and where another machine has that number already gets one that nobody uses.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "raw/machine_trace.h"

namespace kutrace::raw {

// Of one machine.
struct MachineRpcs {
  std::vector<std::uint16_t> points;  // number of each RPC point, in the order of its stream
  std::map<std::uint16_t, std::set<std::uint16_t>> numbers;  // what a number has become
};

struct JoinedRpcs {
  std::vector<MachineRpcs> machines;
  std::uint64_t alike = 0;  // numbers of different RPCs: there is none left that nobody uses
};

JoinedRpcs joined_rpcs(const std::vector<MachineTrace>& traces);

}  // namespace kutrace::raw
