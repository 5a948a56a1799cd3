// SPDX-License-Identifier: BSD-3-Clause
// The group of events that a span comes from, and sets of groups by name ("syscalls,irqs").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/span.h"

namespace kutrace::filters {

// Those of include/kutrace/events.def, and two that no event of their own stands for.
enum class SpanGroup : std::uint8_t {
  syscalls,
  irqs,
  softirqs,
  faults,
  sched,
  wakeups,  // and waits
  power,
  net,
  samples,
  marks,  // and RPCs, locks and queues of programs
  user,
  idle,
  locks,  // of the kernel, and futexes
  disk,
  signals,
  processes,
  migrations,
  memory,
  fault_addresses,
  timers,
  workqueue,
  sockets,
  pages,
};

SpanGroup span_group(const Span& span);

class SpanGroups {
 public:
  // Comma-separated names.
  static Result<SpanGroups> parse(std::string_view text);

  bool has(SpanGroup group) const { return (bits_ >> static_cast<unsigned>(group) & 1) != 0; }

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace kutrace::filters
