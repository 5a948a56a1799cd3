// SPDX-License-Identifier: BSD-3-Clause
// The units that the layers pass around.
#pragma once

#include <cstdint>

namespace kutrace {

using Ticks = std::uint64_t;     // counts of the trace's time counter, 56 bits
using Ns = std::int64_t;         // nanoseconds since the trace's start counter, or a length of time
using CpuId = std::uint32_t;     // kernel's CPU number
using Pid = std::int32_t;        // kernel's thread id; 0 is the idle thread of a CPU, -1 none
using EventNum = std::uint32_t;  // 12 bits from the file, more for what the reader makes

constexpr CpuId kNoCpu = 0xffff'ffff;
constexpr Pid kNoPid = -1;

}  // namespace kutrace
