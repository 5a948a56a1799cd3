// SPDX-License-Identifier: BSD-3-Clause
// Groups by kind of span; points by their event's entry in events.def.
#include "filters/span_group.h"

#include <array>

#include "base/nearest.h"
#include "format/event_table.h"

namespace kutrace::filters {

namespace {

constexpr std::array<std::string_view, 23> kNames = {
    "syscalls",        "irqs",   "softirqs",  "faults",    "sched",      "wakeups",
    "power",           "net",    "samples",   "marks",     "user",       "idle",
    "locks",           "disk",   "signals",   "processes", "migrations", "memory",
    "fault_addresses", "timers", "workqueue", "sockets",   "pages"};

SpanGroup point_group(EventNum number) {
  switch (number) {
#define KUTRACE_POINT(id, number, name, group, argument, by) \
  case number:                                               \
    return SpanGroup::group;
#include "kutrace/events.def"
    default:
      return SpanGroup::marks;
  }
}

}  // namespace

SpanGroup span_group(const Span& span) {
  switch (span.kind) {
    case SpanKind::kUser:
    case SpanKind::kKernelThread:
      return SpanGroup::user;
    case SpanKind::kSyscall:
      return SpanGroup::syscalls;
    case SpanKind::kTrap:
      return SpanGroup::faults;
    case SpanKind::kIrq:
    case SpanKind::kIpiArc:
      return SpanGroup::irqs;
    case SpanKind::kSoftirq:
      return SpanGroup::softirqs;
    case SpanKind::kScheduler:
    case SpanKind::kRename:
    case SpanKind::kHidden:
    case SpanKind::kLoss:
      return SpanGroup::sched;
    case SpanKind::kIdle:
    case SpanKind::kIdleLowPower:
    case SpanKind::kCExit:
      return SpanGroup::idle;
    case SpanKind::kWait:
    case SpanKind::kWakeupArc:
      return SpanGroup::wakeups;
    case SpanKind::kLockHeld:
    case SpanKind::kLockWanted:
    case SpanKind::kQueued:
    case SpanKind::kRpc:
    case SpanKind::kMark:
    case SpanKind::kFunction:
      return SpanGroup::marks;
    case SpanKind::kMessage:
      return SpanGroup::net;
    case SpanKind::kFrequency:
      return SpanGroup::power;
    case SpanKind::kSample:
      return SpanGroup::samples;
    case SpanKind::kPoint:
      break;
  }
  return point_group(span.event);
}

Result<SpanGroups> SpanGroups::parse(std::string_view text) {
  SpanGroups groups;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    std::size_t at = 0;
    while (at < kNames.size() && kNames[at] != word) ++at;
    if (at == kNames.size()) {
      std::string known;
      for (const std::string_view name : kNames) known += " " + std::string(name);
      return fail(usage_error("there is no event group '" + std::string(word) + "'")
                      .with_hint(meant_or(word, kNames, "groups:" + known)));
    }
    groups.bits_ |= 1u << at;
  }
  return groups;
}

}  // namespace kutrace::filters
