// SPDX-License-Identifier: BSD-3-Clause
// What the number of a call says of it: which kind of span it is, and what it may interrupt.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "model/span.h"

namespace kutrace {

// Who may interrupt whom, see `can_nest` in spans/call_stack.h.
enum class Level : std::uint8_t { kUser, kSyscall, kTrap, kScheduler, kSoftirq, kIrq, kNmi };

Level level_of(EventNum call);
SpanKind kind_of(EventNum call);

}  // namespace kutrace
