// SPDX-License-Identifier: BSD-3-Clause
// Changes to windows of each group.
#include "format/group_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/counted.h"
#include "format/machine_fact.h"

namespace kutrace {

namespace {

constexpr Ns kBeforeAll = std::numeric_limits<Ns>::min();
constexpr Ns kNoEnd = std::numeric_limits<Ns>::max();

}  // namespace

std::string to_text(const GroupChange& change) {
  std::string text = std::to_string(change.at);
  for (const std::string& name : change.on.names()) text += " +" + name;
  for (const std::string& name : change.off.names()) text += " -" + name;
  return text;
}

std::optional<GroupChange> parse_group_change(const std::string& text) {
  std::istringstream words(text);
  GroupChange change;
  if (!(words >> change.at)) return std::nullopt;
  std::vector<std::string> on;
  std::vector<std::string> off;
  for (std::string word; words >> word;) {
    if (word.starts_with('+')) on.push_back(word.substr(1));
    if (word.starts_with('-')) off.push_back(word.substr(1));
  }
  change.on = EventGroups::of_names(on);
  change.off = EventGroups::of_names(off);
  // Names that this program does not know, of a later version, change nothing here.
  if (change.on.empty() && change.off.empty()) return std::nullopt;
  return change;
}

GroupTimes::GroupTimes(const Facts& facts) {
  std::vector<GroupChange> changes;
  for (const auto& [key, value] : facts) {
    if (key != fact::kGroupsChange.text) continue;
    if (auto change = parse_group_change(value)) changes.push_back(*change);
  }
  if (changes.empty()) return;
  // Of several machines, those of each stand together.
  std::ranges::stable_sort(changes, {}, &GroupChange::at);
  EventGroups changed;
  for (const GroupChange& change : changes) changed = changed.with(change.on).with(change.off);
  if (const auto names = facts.get(fact::kEvents))
    // `events` says what was on before the first change. Groups that never change are no business
    // of this class: whether they are on holds for the whole trace.
    off_at_first_ = changed.without(EventGroups::of_names(*names));
  const auto machines = static_cast<unsigned>(std::max<std::size_t>(1, machines_of(facts).size()));
  for (const EventGroup group : off_at_first_.each())
    groups_[group] = {.off = machines, .windows = {{kBeforeAll, kNoEnd}}};
  for (const GroupChange& change : changes) add(change);
}

void GroupTimes::add(const GroupChange& change) {
  changes_.push_back(change);
  for (const EventGroup group : change.off.each()) {
    Times& times = groups_[group];
    // A count of machines, not a flag: a group is off while one of them has it off.
    if (times.off++ == 0) times.windows.push_back({change.at, kNoEnd});
  }
  for (const EventGroup group : change.on.each()) {
    const auto [known, is_first] = groups_.try_emplace(group);
    Times& times = known->second;
    // Not said to be off before (no fact `events`): that it is switched on says so.
    if (is_first) times.windows.push_back({kBeforeAll, change.at});
    if (times.off == 0) continue;
    --times.off;
    if (times.off == 0) times.windows.back().end = change.at;
  }
}

std::optional<Ns> GroupTimes::first_off(EventGroup group, Ns begin, Ns end) const {
  const auto known = groups_.find(group);
  if (known == groups_.end()) return std::nullopt;
  const std::vector<Window>& windows = known->second.windows;
  // Windows are disjoint and in order, so the first that ends later is the only candidate.
  const auto first = std::ranges::upper_bound(windows, begin, {}, &Window::end);
  if (first == windows.end() || first->begin >= end) return std::nullopt;
  return std::max(first->begin, begin);
}

std::vector<GroupTimes::Window> GroupTimes::off_windows(EventGroup group, Ns begin, Ns end) const {
  std::vector<Window> within;
  const auto known = groups_.find(group);
  if (known == groups_.end()) return within;
  for (const Window& window : known->second.windows) {
    const Window part{std::max(window.begin, begin), std::min(window.end, end)};
    if (part.begin < part.end) within.push_back(part);
  }
  return within;
}

EventGroups GroupTimes::ever_off() const {
  EventGroups groups;
  for (const auto& [group, times] : groups_) groups.set(group, true);
  return groups;
}

std::vector<std::string> group_times_text(const GroupTimes& times, Ns begin, Ns end) {
  std::vector<std::string> lines;
  for (const EventGroup group : times.ever_off().each()) {
    const std::vector<GroupTimes::Window> windows = times.off_windows(group, begin, end);
    if (windows.empty()) continue;
    Ns off = 0;
    for (const GroupTimes::Window& window : windows) off += window.end - window.begin;
    lines.push_back(fmt::format("{}: off {}, for {:.6f} s together, first at {:.6f} s",
                                name_of(group), counted(windows.size(), "time", "times"),
                                static_cast<double>(off) / 1e9,
                                static_cast<double>(windows.front().begin) / 1e9));
  }
  return lines;
}

}  // namespace kutrace
