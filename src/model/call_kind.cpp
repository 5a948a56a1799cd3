// SPDX-License-Identifier: BSD-3-Clause
// Levels and kinds by class of event.
#include "model/call_kind.h"

#include "format/event_table.h"
#include "kutrace/event_numbers.h"

namespace kutrace {

Level level_of(EventNum call) {
  if (is_scheduler(call)) return Level::kScheduler;
  if (call == ev::kBottomHalf) return Level::kSoftirq;
  if (call == KUTRACE_IRQ_NMI || call == KUTRACE_IRQ_MACHINE_CHECK) return Level::kNmi;
  switch (event_class(call)) {
    case EventClass::kTrap:
      return Level::kTrap;
    case EventClass::kIrq:
      return Level::kIrq;
    default:
      return Level::kSyscall;
  }
}

SpanKind kind_of(EventNum call) {
  switch (level_of(call)) {
    case Level::kUser:
      return SpanKind::kUser;
    case Level::kSyscall:
      return SpanKind::kSyscall;
    case Level::kTrap:
      return SpanKind::kTrap;
    case Level::kScheduler:
      return SpanKind::kScheduler;
    case Level::kSoftirq:
      return SpanKind::kSoftirq;
    case Level::kIrq:
    case Level::kNmi:
      return SpanKind::kIrq;
  }
  return SpanKind::kSyscall;
}

}  // namespace kutrace
