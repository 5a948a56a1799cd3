// SPDX-License-Identifier: BSD-3-Clause
// By events.def, which names the group of each point.
#include "serve/entry_group.h"

#include <array>

#include "format/event_table.h"

namespace kutrace::serve {

namespace {

using record::EventGroup;

// The groups as the table writes them. Marks come by system calls.
namespace point_groups {
constexpr EventGroup sched = EventGroup::kSched;
constexpr EventGroup marks = EventGroup::kSyscalls;
constexpr EventGroup net = EventGroup::kNet;
constexpr EventGroup wakeups = EventGroup::kWakeups;
constexpr EventGroup irqs = EventGroup::kIrqs;
constexpr EventGroup power = EventGroup::kPower;
constexpr EventGroup locks = EventGroup::kLocks;
constexpr EventGroup disk = EventGroup::kDisk;
constexpr EventGroup signals = EventGroup::kSignals;
constexpr EventGroup processes = EventGroup::kProcesses;
constexpr EventGroup migrations = EventGroup::kMigrations;
constexpr EventGroup memory = EventGroup::kMemory;
constexpr EventGroup fault_addresses = EventGroup::kFaultAddresses;
constexpr EventGroup timers = EventGroup::kTimers;
constexpr EventGroup workqueue = EventGroup::kWorkqueue;
constexpr EventGroup sockets = EventGroup::kSockets;
constexpr EventGroup pages = EventGroup::kPages;
constexpr EventGroup samples = EventGroup::kSamples;

constexpr EventNum kFirst = 0x200;

constexpr std::array<EventGroup, 0x100> of_points() {
  std::array<EventGroup, 0x100> groups{};
#define KUTRACE_POINT(id, number, name, group, argument, by) groups[(number) - kFirst] = group;
#include "kutrace/events.def"
  return groups;
}
constexpr std::array<EventGroup, 0x100> kOfPoints = of_points();
}  // namespace point_groups

EventGroup group_of_point(std::uint32_t number) {
  const std::uint32_t at = number - point_groups::kFirst;
  return at < point_groups::kOfPoints.size() ? point_groups::kOfPoints[at] : EventGroup::kAlways;
}

EventGroup group_of_name(EventNum number, std::uint32_t argument) {
  switch (name_kind(number)) {
    case kind::kPOINT:
      return group_of_point(argument);
    case kind::kARGUMENTS:
    case kind::kWIDE:
    case kind::kCALL_DATA:
    case kind::kFUNCTION:
    case kind::kMETHOD_NAME:
    case kind::kLOCK_NAME:
    case kind::kQUEUE_NAME:
    case kind::kRESOURCE_NAME:
    case kind::kFILE_NAME:
      return EventGroup::kSyscalls;
    case kind::kPACKET_NAME:
      return EventGroup::kNet;
    default:
      return EventGroup::kAlways;
  }
}

}  // namespace

EventGroup group_of(EventNum number, std::uint32_t argument) {
  switch (event_class(number)) {
    case EventClass::kName:
      return group_of_name(number, argument);
    case EventClass::kPoint:
    case EventClass::kPcSample:
      return group_of_point(number);
    case EventClass::kSyscall:
    case EventClass::kSyscallReturn:
      return EventGroup::kSyscalls;
    case EventClass::kIrq:
    case EventClass::kIrqReturn:
      return (number & ~ev::kReturnBit) == ev::kBottomHalf ? EventGroup::kSoftirqs
                                                           : EventGroup::kIrqs;
    case EventClass::kTrap:
    case EventClass::kTrapReturn:
      return EventGroup::kFaults;
    case EventClass::kUnassigned:
      break;
  }
  return EventGroup::kAlways;
}

}  // namespace kutrace::serve
