// SPDX-License-Identifier: BSD-3-Clause
// One event of the ordered stream: what happened on which CPU when.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"
#include "decode/entry.h"

namespace kutrace::timeline {

// Event numbers that no entry has: remarks that the timeline adds to the stream. kBlockStart: a
// block begins. Its header stands in the entry: the thread that runs in `arg`, that thread's name
// in the payload, MHz or 0 in `result`. One word long if the header names no thread (versions
// before 3).
constexpr std::uint16_t kBlockStart = 0x1000;
constexpr std::uint16_t kGap = 0x1001;  // a block is missing in [time, time + duration)

struct Event {
  Ns time = 0;
  Ns duration = 0;  // folded call: from call to return, >= 1; kGap: its length
  CpuId cpu = 0;
  decode::Entry entry;  // entry.time is the counter
};

}  // namespace kutrace::timeline
