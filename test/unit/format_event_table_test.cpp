// SPDX-License-Identifier: BSD-3-Clause
// What an event number says, and that the table contradicts itself nowhere.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "format/event_table.h"
#include "kutrace/abi.h"

namespace kutrace {
namespace {

TEST_CASE("every event number has the class of its range") {
  CHECK(event_class(0x000) == EventClass::kUnassigned);
  CHECK(event_class(0x00f) == EventClass::kUnassigned);
  CHECK(event_class(0x010) == EventClass::kName);
  CHECK(event_class(0x1ff) == EventClass::kName);
  CHECK(event_class(0x200) == EventClass::kPoint);
  CHECK(event_class(0x27f) == EventClass::kPoint);
  CHECK(event_class(0x280) == EventClass::kPcSample);
  CHECK(event_class(0x281) == EventClass::kPcSample);
  CHECK(event_class(0x282) == EventClass::kUnassigned);
  CHECK(event_class(0x3ff) == EventClass::kUnassigned);
  CHECK(event_class(0x400) == EventClass::kTrap);
  CHECK(event_class(0x500) == EventClass::kIrq);
  CHECK(event_class(0x600) == EventClass::kTrapReturn);
  CHECK(event_class(0x7ff) == EventClass::kIrqReturn);
  CHECK(event_class(0x800) == EventClass::kSyscall);
  CHECK(event_class(0xa00) == EventClass::kSyscallReturn);
  CHECK(event_class(0xc00) == EventClass::kSyscall);
  CHECK(event_class(0xfff) == EventClass::kSyscallReturn);
}

TEST_CASE("every number of the table lies in the range of its class") {
#define KUTRACE_POINT(id, number, name, group, argument, by)                           \
  CHECK(event_class(number) == ((number) == ev::kPC_USER || (number) == ev::kPC_KERNEL \
                                    ? EventClass::kPcSample                            \
                                    : EventClass::kPoint));
#define KUTRACE_TRAP(number, name)                           \
  CHECK(event_class(0x400 | (number)) == EventClass::kTrap); \
  CHECK(event_class(0x600 | (number)) == EventClass::kTrapReturn);
#define KUTRACE_IRQ(id, number, name)                       \
  CHECK(event_class(0x500 | (number)) == EventClass::kIrq); \
  CHECK(event_class(0x700 | (number)) == EventClass::kIrqReturn);
#define KUTRACE_KIND(id, kind, what, by) \
  CHECK(event_class((kind) | 1u << KUTRACE_LENGTH_SHIFT) == EventClass::kName);
#include "kutrace/events.def"
}

TEST_CASE("a return is its call with one bit more, over the whole range") {
  for (EventNum number = 0x400; number < 0x1000; ++number) {
    CHECK(is_call(number) != is_return(number));
    if (is_call(number)) CHECK(is_return(number | ev::kReturnBit));
  }
  CHECK_FALSE(is_call(0x3ff));
  CHECK_FALSE(is_return(0x1200));
}

TEST_CASE("system call numbers map as the kernel side maps them") {
  CHECK(syscall_event(0) == 0x800);
  CHECK(syscall_event(511) == 0x9ff);
  CHECK(syscall_event(512) == 0xc00);
  for (unsigned number = 0; number < kNarrowSyscalls; ++number) {
    CHECK(syscall_event(number) == 0x800 + KUTRACE_MAP_SYSCALL(number));
    CHECK(is_call(syscall_event(number)));
    CHECK(narrow_event(syscall_event(number)) == syscall_event(number));
  }
}

TEST_CASE("system calls above 1022 are system calls, and one event of 12 bits stands for them") {
  CHECK(KUTRACE_MAP_SYSCALL(kNarrowSyscalls) + 0x800 == ev::kSCHEDULER);
  for (const unsigned number : {1023u, 1024u, 0x1000u, 0x7fff'ffffu}) {
    const EventNum event = syscall_event(number);
    CHECK(is_wide_syscall(event));
    CHECK(event_class(event) == EventClass::kSyscall);
    CHECK_FALSE(is_scheduler(event));
    CHECK(narrow_event(event) == KUTRACE_UNKNOWN_CALL);
    CHECK(fallback_call_name(event) == fmt::format("sys#{}", number));
  }
}

TEST_CASE("the scheduler has two numbers, that of older traces included") {
  CHECK(is_scheduler(0xdff));
  CHECK(is_scheduler(0x9ff));
  CHECK_FALSE(is_scheduler(0xfff));
}

TEST_CASE("a name entry's number is its kind and its length") {
  CHECK(name_kind(0x132) == 0x102);
  CHECK(name_words(0x132) == 3);
  CHECK(name_kind(0x082) == kind::kPID_NAME);
  CHECK(name_words(0x082) == 8);
}

TEST_CASE("no number stands twice in the table") {
  std::set<EventNum> points;
  std::set<EventNum> kinds;
  std::size_t entries = 0;
#define KUTRACE_POINT(id, number, name, group, argument, by) \
  points.insert(number);                                     \
  ++entries;
#include "kutrace/events.def"
  CHECK(points.size() == entries);
  entries = 0;
#define KUTRACE_KIND(id, kind, what, by) \
  kinds.insert(kind);                    \
  ++entries;
#include "kutrace/events.def"
  CHECK(kinds.size() == entries);
  for (const EventNum number : kinds) CHECK((number & 0x0f0) == 0);
}

TEST_CASE("arguments that hold ids, labels and hashes are 32 bits wide") {
  for (const EventNum number : {ev::kUSERPID, ev::kRUNNABLE, ev::kMARK_A, ev::kMARK_D, ev::kTSDELTA,
                                ev::kLOCK_TRY, ev::kRX_PACKET, ev::kMWAIT, ev::kRPC_REQUEST}) {
    CHECK(has_wide_argument(number));
  }
  CHECK(has_wide_argument(0x132));
  for (const EventNum number : {ev::kFREQUENCY, ev::kENQUEUE, ev::kPC_USER, EventNum{0x800}}) {
    CHECK_FALSE(has_wide_argument(number));
  }
}

TEST_CASE("what a trace does not name has a name all the same") {
  CHECK(point_name(ev::kRUNNABLE) == "runnable");
  CHECK(point_name(0x27f) == "");
  CHECK(trap_name(14) == "page_fault");
  CHECK(irq_name(0xec) == "local_timer");
  CHECK(softirq_name(3) == "rx");
  CHECK(softirq_name(12) == "");
  CHECK(wait_name('d') == "wait_disk");
  CHECK(fallback_call_name(0x40e) == "page_fault");
  CHECK(fallback_call_name(0x5fd) == "reschedule_ipi");
  CHECK(fallback_call_name(0x421) == "trap#33");
  CHECK(fallback_call_name(0x521) == "irq#33");
  CHECK(fallback_call_name(0x80c) == "sys#12");
  CHECK(fallback_call_name(0xc0c) == "sys32#12");
  CHECK(fallback_call_name(0xdff) == "-sched-");
}

TEST_CASE("every reason of a loss has words of its own") {
  std::set<std::string_view> words;
  for (unsigned reason = KUTRACE_LOSS_BUFFER_FULL; reason <= KUTRACE_LOSS_OFFLINE; ++reason) {
    words.insert(loss_reason_name(reason));
  }
  CHECK(words.size() == KUTRACE_LOSS_OFFLINE);
  CHECK(loss_reason_name(0) == "unknown reason");
  CHECK(loss_reason_name(255) == "unknown reason");
}

}  // namespace
}  // namespace kutrace
