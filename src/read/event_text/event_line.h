// SPDX-License-Identifier: BSD-3-Clause
// A line of events as text: of ftrace's files `trace` and `trace_pipe`, of trace-cmd report, of
// perf script. In: the line; out: its parts, or what else it tells.
//
//   comm-pid     [cpu] flags seconds.fraction: event: what it tells      ftrace, trace-cmd
//   comm  tid    [cpu]       seconds.fraction: system:event: ...         perf
//   CPU:cpu [LOST count EVENTS]                                          and variants of it
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace kutrace::read {

struct EventLine {
  std::string_view thread;  // its name
  Pid pid = kNoPid;
  CpuId cpu = 0;
  Ns time = 0;
  bool below_usec = false;  // the time has nanoseconds
  std::string_view event;
  std::string_view text;
};

std::optional<EventLine> parse_event_line(std::string_view line);

struct LossLine {
  CpuId cpu = 0;
  std::optional<std::uint64_t> count;  // nothing: not told
};

std::optional<LossLine> parse_loss_line(std::string_view line);

}  // namespace kutrace::read
