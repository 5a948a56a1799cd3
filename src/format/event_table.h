// SPDX-License-Identifier: BSD-3-Clause
// Event numbers and what they mean, straight from include/kutrace/events.def.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"
#include "kutrace/event_numbers.h"

namespace kutrace {

namespace ev {
#define KUTRACE_POINT(id, number, name, group, argument, by) constexpr EventNum k##id = number;
#define KUTRACE_PSEUDO(id, number, name) constexpr EventNum k##id = number;
#include "kutrace/events.def"
constexpr EventNum kBottomHalf = KUTRACE_IRQ_BH;
constexpr EventNum kPageFault = KUTRACE_PAGE_FAULT;
constexpr EventNum kReturnBit = KUTRACE_RETURN_BIT;
constexpr EventNum kFirstCall = 0x400;  // calls and returns from here to 0xfff
}  // namespace ev

namespace kind {
#define KUTRACE_KIND(id, kind, what, by) constexpr EventNum k##id = kind;
#include "kutrace/events.def"
}  // namespace kind

// What the number of an entry says about it.
enum class EventClass : std::uint8_t {
  kUnassigned,
  kName,  // variable length, 1..8 words
  kPoint,
  kPcSample,  // 2 words
  kTrap,
  kTrapReturn,
  kIrq,
  kIrqReturn,
  kSyscall,
  kSyscallReturn,
};

// The classes as the table writes them.
namespace event_classes {
constexpr EventClass name = EventClass::kName;
constexpr EventClass point = EventClass::kPoint;
constexpr EventClass pc = EventClass::kPcSample;
constexpr EventClass trap = EventClass::kTrap;
constexpr EventClass trap_return = EventClass::kTrapReturn;
constexpr EventClass irq = EventClass::kIrq;
constexpr EventClass irq_return = EventClass::kIrqReturn;
constexpr EventClass syscall = EventClass::kSyscall;
constexpr EventClass syscall_return = EventClass::kSyscallReturn;
}  // namespace event_classes

constexpr EventNum kEventNumbers = 0x1000;  // of entries; pseudo numbers lie above

namespace event_classes {
constexpr std::array<EventClass, kEventNumbers> of_numbers() {
  std::array<EventClass, kEventNumbers> classes{};
#define KUTRACE_RANGE(id, first, last, what) \
  for (EventNum number = (first); number <= (last); ++number) classes[number] = what;
#include "kutrace/events.def"
  return classes;
}
inline constexpr std::array<EventClass, kEventNumbers> kOfNumbers = of_numbers();
}  // namespace event_classes

// Call events of system calls whose number has no event number of 12 bits.
constexpr EventNum kWideSyscall = 0x8000'0000;
constexpr unsigned kNarrowSyscalls = 1023;  // the next number is the scheduler's

constexpr EventClass event_class(EventNum number) {
  if (number < kEventNumbers) return event_classes::kOfNumbers[number];
  return number >= kWideSyscall ? EventClass::kSyscall : EventClass::kUnassigned;
}

constexpr bool is_call(EventNum number) {
  return number >= 0x400 && number < 0x1000 && (number & ev::kReturnBit) == 0;
}
constexpr bool is_return(EventNum number) {
  return number >= 0x400 && number < 0x1000 && (number & ev::kReturnBit) != 0;
}

constexpr bool is_wide_syscall(EventNum call) { return call >= kWideSyscall; }
// The event of 12 bits that stands for the call where there is no room for more.
constexpr EventNum narrow_event(EventNum event) {
  return is_wide_syscall(event) ? EventNum{KUTRACE_UNKNOWN_CALL} : event;
}
// Call event of system call `number`, 0..0x7fffffff.
constexpr EventNum syscall_event(unsigned number) {
  return number < kNarrowSyscalls ? 0x800 + number + (number & 0x200) : kWideSyscall | number;
}
// Its inverse, of calls of 12 bits.
constexpr unsigned syscall_number(EventNum call) {
  const unsigned mapped = call - 0x800;
  return mapped < 0x200 ? mapped : mapped - 0x200;
}

// The scheduler is traced as a system call of its own: 1023, 511 in older traces.
constexpr bool is_scheduler(EventNum call) {
  return call == ev::kSCHEDULER || call == ev::kSCHEDULER_OLD;
}

// Kind of a name entry (its event number without the length) and its length in words.
constexpr EventNum name_kind(EventNum number) { return number & 0xf0f; }
constexpr unsigned name_words(EventNum number) { return (number >> 4) & 0xf; }

// Whether it stands for a moment with numbers, as entries of kind POINT have it.
constexpr bool has_numbers(std::uint32_t number) {
  return number >= ev::kCONTENTION_BEGIN && number <= ev::kPAGE_FREE;
}

namespace event_arguments {
enum class Argument { none, pid, cpu, number, label, hash, hint, mhz, rpc, lock, queue, ticks };

constexpr bool is_wide(Argument argument) {
  return argument != Argument::none && argument != Argument::mhz && argument != Argument::queue;
}
}  // namespace event_arguments

// Whether all 32 low bits of the entry are the argument (labels, hashes, thread ids, ...).
constexpr bool has_wide_argument(EventNum number) {
  switch (number) {
#define KUTRACE_POINT(id, number, name, group, argument, by) \
  case number:                                               \
    return event_arguments::is_wide(event_arguments::Argument::argument);
#include "kutrace/events.def"
    default:
      return event_class(number) == EventClass::kName;
  }
}

// Names that hold where a trace does not define its own; empty if the number has none.
std::string_view point_name(EventNum number);
std::string_view trap_name(unsigned number);
std::string_view irq_name(unsigned number);
std::string_view softirq_name(unsigned number);
std::string_view kind_name(EventNum kind);
std::string_view wait_name(char letter);
std::string_view loss_reason_name(unsigned reason);

// Name for a call that the trace never named: the table's, else "trap#33", "irq#33", "sys#12", ...
std::string fallback_call_name(EventNum call);

}  // namespace kutrace
