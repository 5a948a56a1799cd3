// SPDX-License-Identifier: BSD-3-Clause
// Reading and printing sets of event groups.
#include "format/event_groups.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "base/nearest.h"
#include "format/event_table.h"

namespace kutrace {

namespace {

constexpr std::array<std::pair<std::string_view, EventGroup>, 21> kGroups = {{
    {"syscalls", EventGroup::kSyscalls},   {"irqs", EventGroup::kIrqs},
    {"softirqs", EventGroup::kSoftirqs},   {"faults", EventGroup::kFaults},
    {"sched", EventGroup::kSched},         {"wakeups", EventGroup::kWakeups},
    {"power", EventGroup::kPower},         {"net", EventGroup::kNet},
    {"samples", EventGroup::kSamples},     {"locks", EventGroup::kLocks},
    {"disk", EventGroup::kDisk},           {"signals", EventGroup::kSignals},
    {"processes", EventGroup::kProcesses}, {"migrations", EventGroup::kMigrations},
    {"memory", EventGroup::kMemory},       {"fault_addresses", EventGroup::kFaultAddresses},
    {"timers", EventGroup::kTimers},       {"workqueue", EventGroup::kWorkqueue},
    {"sockets", EventGroup::kSockets},     {"counters", EventGroup::kCounters},
    {"pages", EventGroup::kPages},
}};

// What a recording has of these it has from start to end.
constexpr std::array kFixed = {EventGroup::kSched, EventGroup::kSamples, EventGroup::kCounters};

Result<EventGroup> find_group(std::string_view name) {
  for (const auto& [known, group] : kGroups)
    if (known == name) return group;
  std::array<std::string_view, kGroups.size()> names;
  std::ranges::transform(kGroups, names.begin(), [](const auto& group) { return group.first; });
  return fail(
      usage_error("there is no event group '" + std::string(name) + "'")
          .with_hint(meant_or(name, names, fmt::format("groups: {}", fmt::join(names, " ")))));
}

// The groups as the table of events writes them.
namespace table {
constexpr EventGroup sched = EventGroup::kSched;
constexpr EventGroup wakeups = EventGroup::kWakeups;
constexpr EventGroup irqs = EventGroup::kIrqs;
constexpr EventGroup power = EventGroup::kPower;
constexpr EventGroup net = EventGroup::kNet;
constexpr EventGroup samples = EventGroup::kSamples;
constexpr EventGroup marks = EventGroup::kSyscalls;
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
}  // namespace table

constexpr EventGroup group_of_class(EventNum number) {
  switch (event_class(number)) {
    case EventClass::kSyscall:
    case EventClass::kSyscallReturn:
      return is_scheduler(number & ~ev::kReturnBit) ? EventGroup::kSched : EventGroup::kSyscalls;
    case EventClass::kTrap:
    case EventClass::kTrapReturn:
      return EventGroup::kFaults;
    case EventClass::kIrq:
    case EventClass::kIrqReturn:
      return (number & ~ev::kReturnBit) == ev::kBottomHalf ? EventGroup::kSoftirqs
                                                           : EventGroup::kIrqs;
    case EventClass::kPcSample:
      return EventGroup::kSamples;
    default:
      return EventGroup::kAlways;
  }
}

constexpr std::array<EventGroup, kEventNumbers> groups_by_number() {
  std::array<EventGroup, kEventNumbers> groups{};
  for (EventNum number = 0; number < kEventNumbers; ++number)
    groups[number] = group_of_class(number);
#define KUTRACE_POINT(id, number, name, group, argument, by) groups[number] = table::group;
#include "kutrace/events.def"
  for (const EventNum other : {ev::kTSDELTA, ev::kPROBE_ENTER, ev::kPROBE_LEAVE})
    groups[other] = EventGroup::kAlways;  // of the clock; of programs that are probed
  return groups;
}

}  // namespace

EventGroup group_of(EventNum event) {
  static constexpr std::array<EventGroup, kEventNumbers> kOfNumbers = groups_by_number();
  if (event < kEventNumbers) return kOfNumbers[event];
  return is_wide_syscall(event) ? EventGroup::kSyscalls : EventGroup::kAlways;
}

EventGroups EventGroups::standard() {
  EventGroups groups;
  for (const auto& [name, group] : kGroups)
    groups.set(group, group < EventGroup::kSamples || group == EventGroup::kProcesses);
  return groups;
}

EventGroups EventGroups::others() {
  EventGroups groups;
  for (const auto& [name, group] : kGroups) groups.set(group, !standard().has(group));
  return groups;
}

std::string_view name_of(EventGroup group) {
  const auto* known = std::ranges::find(kGroups, group, [](const auto& one) { return one.second; });
  return known == kGroups.end() ? std::string_view() : known->first;
}

Result<EventGroups> EventGroups::parse(const std::string& text) {
  EventGroups groups = standard();
  std::istringstream words(text);
  bool first = true;
  for (std::string word; std::getline(words, word, ',');) {
    const bool change = word.starts_with('-') || word.starts_with('+');
    if (first && !change) groups = EventGroups();
    first = false;
    KUTRACE_ASSIGN(const EventGroup group, find_group(word.substr(change ? 1 : 0)));
    groups.set(group, !word.starts_with('-'));
  }
  groups.set(EventGroup::kSched, true);
  return groups;
}

Result<EventGroups> EventGroups::parse_change(const EventGroups& now,
                                              const std::vector<std::string>& words) {
  EventGroups groups = now;
  for (const std::string& word : words) {
    if (!word.starts_with('+') && !word.starts_with('-'))
      return fail(usage_error("'" + word + "' does not say whether the group is switched on or off")
                      .with_hint("write +" + word + " or -" + word));
    KUTRACE_ASSIGN(const EventGroup group, find_group(word.substr(1)));
    for (const auto fixed : kFixed)
      if (group == fixed)
        return fail(usage_error("the group " + word.substr(1) + " stays as it was at the start")
                        .with_hint("begin another recording"));
    groups.set(group, word.starts_with('+'));
  }
  return groups;
}

EventGroups EventGroups::switchable() const {
  EventGroups groups = *this;
  for (const EventGroup fixed : kFixed) groups.set(fixed, false);
  return groups;
}

EventGroups EventGroups::of_names(const std::vector<std::string>& names) {
  EventGroups groups;
  for (const auto& [name, group] : kGroups)
    groups.set(group, std::ranges::find(names, name) != names.end());
  return groups;
}

EventGroups EventGroups::without(const EventGroups& other) const {
  EventGroups groups;
  groups.bits_ = bits_ & ~other.bits_;
  return groups;
}

EventGroups EventGroups::with(const EventGroups& other) const {
  EventGroups groups;
  groups.bits_ = bits_ | other.bits_;
  return groups;
}

bool EventGroups::has(EventGroup group) const {
  return group == EventGroup::kAlways || (bits_ & static_cast<std::uint32_t>(group)) != 0;
}

void EventGroups::set(EventGroup group, bool on) {
  const auto bit = static_cast<std::uint32_t>(group);
  bits_ = on ? bits_ | bit : bits_ & ~bit;
}

std::vector<EventGroup> EventGroups::each() const {
  std::vector<EventGroup> each;
  for (const auto& [name, group] : kGroups)
    if (has(group)) each.push_back(group);
  return each;
}

std::vector<std::string> EventGroups::names() const {
  std::vector<std::string> names;
  for (const auto& [name, group] : kGroups)
    if (has(group)) names.emplace_back(name);
  return names;
}

}  // namespace kutrace
