// SPDX-License-Identifier: BSD-3-Clause
// Lookups in the event table.
#include "format/event_table.h"

#include <fmt/format.h>

#include "kutrace/abi.h"

namespace kutrace {

std::string_view point_name(EventNum number) {
  switch (number) {
#define KUTRACE_POINT(id, number, name, group, argument, by) \
  case number:                                               \
    return name;
#include "kutrace/events.def"
    default:
      return {};
  }
}

std::string_view trap_name(unsigned number) {
  switch (number) {
#define KUTRACE_TRAP(number, name) \
  case number:                     \
    return name;
#include "kutrace/events.def"
    default:
      return {};
  }
}

std::string_view irq_name(unsigned number) {
  switch (number) {
#define KUTRACE_IRQ(id, number, name) \
  case number:                        \
    return name;
#include "kutrace/events.def"
    default:
      return {};
  }
}

std::string_view softirq_name(unsigned number) {
  switch (number) {
#define KUTRACE_SOFTIRQ(number, name) \
  case number:                        \
    return name;
#include "kutrace/events.def"
    default:
      return {};
  }
}

std::string_view kind_name(EventNum kind) {
  switch (kind) {
#define KUTRACE_KIND(id, kind, what, by) \
  case kind:                             \
    return what;
#include "kutrace/events.def"
    default:
      return {};
  }
}

std::string_view wait_name(char letter) {
  switch (letter) {
#define KUTRACE_WAIT(letter, name) \
  case letter:                     \
    return name;
#include "kutrace/events.def"
    default:
      return {};
  }
}

std::string_view loss_reason_name(unsigned reason) {
  switch (reason) {
    case KUTRACE_LOSS_BUFFER_FULL:
      return "buffer full";
    case KUTRACE_LOSS_MISSED_RUN:
      return "missed hook";
    case KUTRACE_LOSS_DISK:
      return "disk";
    case KUTRACE_LOSS_OVERWRITTEN:
      return "overwritten";
    case KUTRACE_LOSS_LIMIT:
      return "limit reached";
    case KUTRACE_LOSS_DAMAGED:
      return "damaged or missing block";
    case KUTRACE_LOSS_OFFLINE:
      return "CPU offline";
    case KUTRACE_LOSS_UNWRITTEN:
      return "not in the file of spans";
    case KUTRACE_LOSS_UNSEEN:
      return "unseen switch";
    case KUTRACE_LOSS_NO_CPUS:
      return "no CPU in the file";
    default:
      return "unknown reason";
  }
}

std::string fallback_call_name(EventNum call) {
  if (is_scheduler(call)) return "-sched-";
  if (is_wide_syscall(call)) return fmt::format("sys#{}", call & ~kWideSyscall);
  const unsigned number = call & 0xff;
  switch (event_class(call)) {
    case EventClass::kTrap:
      return trap_name(number).empty() ? fmt::format("trap#{}", number)
                                       : std::string(trap_name(number));
    case EventClass::kIrq:
      return irq_name(number).empty() ? fmt::format("irq#{}", number)
                                      : std::string(irq_name(number));
    default:
      return fmt::format("{}#{}", call < 0xc00 ? "sys" : "sys32", call & 0x1ff);
  }
}

}  // namespace kutrace
