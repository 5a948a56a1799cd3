// SPDX-License-Identifier: BSD-3-Clause
// Changes in order of time.
#include "record/run/group_log.h"

#include <algorithm>

namespace kutrace::record {

EventGroups GroupLog::at(Ticks moment) const {
  EventGroups groups = first_;
  for (const Change& change : changes_)
    if (change.at <= moment) groups = change.after;
  return groups;
}

Result<GroupSwitch> GroupLog::switch_to(const EventGroups& groups, Source& source) {
  if (groups == now_) return GroupSwitch{};
  KUTRACE_ASSIGN(GroupSwitch done, source.switch_groups(groups));
  changes_.push_back({done.at, now_, groups});
  now_ = groups;
  return done;
}

GroupChange GroupLog::told(const Change& change, Ticks zero, TickRate rate) {
  return {.at = static_cast<Ns>(rate.ns(change.at - zero)),
          .off = change.before.without(change.after),
          .on = change.after.without(change.before)};
}

void GroupLog::add_to(NameEntries& names, Ticks zero, TickRate rate) const {
  for (const Change& change : changes_)
    if (change.at > zero) names.add(fact::kGroupsChange, to_text(told(change, zero, rate)));
}

void GroupLog::forget_before(Ticks moment) {
  const auto kept =
      std::ranges::find_if(changes_, [moment](const Change& change) { return change.at > moment; });
  if (kept == changes_.begin()) return;
  first_ = std::prev(kept)->after;
  changes_.erase(changes_.begin(), kept);
}

}  // namespace kutrace::record
