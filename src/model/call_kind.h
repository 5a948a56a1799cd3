// SPDX-License-Identifier: BSD-3-Clause
// What follows from the number of a call: which kind of span it is, and what it may interrupt.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "format/event_table.h"
#include "kutrace/event_numbers.h"
#include "model/span.h"

namespace kutrace {

// Who may interrupt whom, see `can_nest` in spans/call_stack.h.
enum class Level : std::uint8_t { kUser, kSyscall, kTrap, kScheduler, kSoftirq, kIrq, kNmi };

namespace call_kinds {
constexpr Level level(EventNum call) {
  if (is_scheduler(call)) return Level::kScheduler;
  if (call == ev::kBottomHalf) return Level::kSoftirq;
  if (call == KUTRACE_IRQ_NMI || call == KUTRACE_IRQ_MACHINE_CHECK) return Level::kNmi;
  const EventClass what = event_class(call);
  if (what == EventClass::kTrap) return Level::kTrap;
  return what == EventClass::kIrq ? Level::kIrq : Level::kSyscall;
}

constexpr std::array<Level, kEventNumbers> levels() {
  std::array<Level, kEventNumbers> levels{};
  for (EventNum number = 0; number < kEventNumbers; ++number) levels[number] = level(number);
  return levels;
}
inline constexpr std::array<Level, kEventNumbers> kLevels = levels();

// By level.
inline constexpr std::array kKinds = {
    SpanKind::kUser,    SpanKind::kSyscall, SpanKind::kTrap, SpanKind::kScheduler,
    SpanKind::kSoftirq, SpanKind::kIrq,     SpanKind::kIrq,
};
}  // namespace call_kinds

constexpr Level level_of(EventNum call) {
  return call < kEventNumbers ? call_kinds::kLevels[call] : Level::kSyscall;
}

constexpr SpanKind kind_of(EventNum call) {
  return call_kinds::kKinds[static_cast<std::size_t>(level_of(call))];
}

}  // namespace kutrace
