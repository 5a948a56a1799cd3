// SPDX-License-Identifier: BSD-3-Clause
// What rows are made of, by group of events.
#include "reports/diff_lacks.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "format/group_times.h"

namespace kutrace::reports {

namespace {

// Of which rows are made; all others are moments.
constexpr std::array kGroups = {EventGroup::kSyscalls, EventGroup::kIrqs,  EventGroup::kSoftirqs,
                                EventGroup::kFaults,   EventGroup::kSched, EventGroup::kWakeups,
                                EventGroup::kPower};

EventGroups of(std::initializer_list<EventGroup> groups) {
  EventGroups set;
  for (const EventGroup group : groups) set.set(group, true);
  return set;
}

EventGroups both(const EventGroups& a, const EventGroups& b) { return a.without(a.without(b)); }

EventGroups call_needs(SpanKind kind) {
  switch (kind) {
    case SpanKind::kSyscall:
      return of({EventGroup::kSyscalls});
    case SpanKind::kTrap:
      return of({EventGroup::kFaults});
    case SpanKind::kIrq:
      return of({EventGroup::kIrqs});
    case SpanKind::kSoftirq:
      return of({EventGroup::kSoftirqs});
    case SpanKind::kScheduler:
      return of({EventGroup::kSched});
    default:
      return {};
  }
}

// Time in a kind itself is without what lies in it, where that is recorded.
EventGroups kind_needs(SpanKind kind) {
  const EventGroups interrupts = of({EventGroup::kIrqs, EventGroup::kSoftirqs});
  const EventGroups within = interrupts.with(of({EventGroup::kFaults}));
  switch (kind) {
    case SpanKind::kUser:
      return within.with(of({EventGroup::kSyscalls}));
    case SpanKind::kKernelThread:
    case SpanKind::kSyscall:
    case SpanKind::kTrap:
    case SpanKind::kScheduler:
      return within.with(call_needs(kind));
    case SpanKind::kIrq:
    case SpanKind::kSoftirq:
      return interrupts;
    case SpanKind::kIdle:
    case SpanKind::kIdleLowPower:
    case SpanKind::kCExit:
      return interrupts.with(of({EventGroup::kPower}));
    case SpanKind::kWait:
      return of({EventGroup::kSyscalls, EventGroup::kWakeups});
    default:
      return {};
  }
}

// The reason of a wait is that of the call it is in, or of what woke.
EventGroups wait_needs(const std::string& letter) {
  if (letter == "c") return of({EventGroup::kWakeups});
  return of({EventGroup::kSyscalls, EventGroup::kIrqs, EventGroup::kSoftirqs, EventGroup::kFaults,
             EventGroup::kWakeups});
}

SpanKind kind_called(const std::string& name) {
  std::size_t kind = 0;
  while (kind + 1 < kSpanKinds && name != span_kind_name(static_cast<SpanKind>(kind))) ++kind;
  return static_cast<SpanKind>(kind);
}

EventGroups needs_of(const DiffKey& key) {
  switch (key.by) {
    case DiffBy::kCall:
      return call_needs(key.kind);
    case DiffBy::kWait:
      return wait_needs(key.name);
    case DiffBy::kKind:
      return kind_needs(kind_called(key.name));
    case DiffBy::kProgram:
    case DiffBy::kThread:
      break;  // who runs is always recorded
  }
  return {};
}

// A loss is known to be one.
bool needs_cpu_time(const DiffKey& key) {
  if (key.by != DiffBy::kKind) return true;
  const SpanKind kind = kind_called(key.name);
  return is_execution(kind) ? kind != SpanKind::kLoss : kind == SpanKind::kWait;
}

}  // namespace

DiffLacks DiffLacks::with(const DiffLacks& other) const {
  return {groups.with(other.groups), cpu_time || other.cpu_time};
}

DiffLacks DiffLacks::in_common(const DiffLacks& other) const {
  return {both(groups, other.groups), cpu_time && other.cpu_time};
}

EventGroups groups_lacking(const Facts& facts, const std::vector<TimeWindow>& windows) {
  EventGroups lacking;
  const auto names = facts.get(fact::kEvents);
  if (!names) return lacking;
  const GroupTimes times(facts);
  const EventGroups ever = EventGroups::of_names(*names).with(times.off_at_first());
  for (const EventGroup group : kGroups) {
    const bool always = std::ranges::all_of(windows, [&](const TimeWindow& window) {
      return times.was_on(group, window.begin, window.end);
    });
    lacking.set(group, !ever.has(group) || !always);
  }
  return lacking;
}

std::vector<std::string> lacking_for(const DiffKey& key, const DiffLacks& own,
                                     const DiffLacks& common) {
  if (own.cpu_time && !common.cpu_time && needs_cpu_time(key)) return {"CPU time"};
  return both(needs_of(key), own.groups.without(common.groups)).names();
}

}  // namespace kutrace::reports
