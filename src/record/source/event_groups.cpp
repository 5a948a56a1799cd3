// SPDX-License-Identifier: BSD-3-Clause
// Reading and printing sets of event groups.
#include "record/source/event_groups.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "base/nearest.h"

namespace kutrace::record {

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

Result<EventGroup> find_group(std::string_view name) {
  for (const auto& [known, group] : kGroups)
    if (known == name) return group;
  std::array<std::string_view, kGroups.size()> names;
  std::ranges::transform(kGroups, names.begin(), [](const auto& group) { return group.first; });
  return fail(
      usage_error("there is no event group '" + std::string(name) + "'")
          .with_hint(meant_or(name, names, fmt::format("groups: {}", fmt::join(names, " ")))));
}

}  // namespace

EventGroups EventGroups::standard() {
  EventGroups groups;
  for (const auto& [name, group] : kGroups) groups.set(group, group < EventGroup::kSamples);
  return groups;
}

EventGroups EventGroups::others() {
  EventGroups groups;
  for (const auto& [name, group] : kGroups) groups.set(group, !standard().has(group));
  return groups;
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

bool EventGroups::has(EventGroup group) const {
  return group == EventGroup::kAlways || (bits_ & static_cast<std::uint32_t>(group)) != 0;
}

void EventGroups::set(EventGroup group, bool on) {
  const auto bit = static_cast<std::uint32_t>(group);
  bits_ = on ? bits_ | bit : bits_ & ~bit;
}

std::vector<std::string> EventGroups::names() const {
  std::vector<std::string> names;
  for (const auto& [name, group] : kGroups)
    if (has(group)) names.emplace_back(name);
  return names;
}

}  // namespace kutrace::record
