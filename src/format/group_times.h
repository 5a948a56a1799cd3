// SPDX-License-Identifier: BSD-3-Clause
// When which groups of events were recorded, if that changed during the recording. In: the facts of
// a trace, or changes as they come; out: the changes in order, and the times (ns) at which a group
// was off.
//
// A recorder takes the time of "off" before it takes hooks off, and that of "on" when the hooks are
// on. So all events of a group are there from "on" to "off"; outside of that, some may be.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "format/event_groups.h"
#include "format/facts.h"

namespace kutrace {

struct GroupChange {
  Ns at = 0;        // after time 0 of the trace
  EventGroups off;  // not recorded from then on
  EventGroups on;   // recorded from then on
};

// The value of the fact `groups_change`: "1200300 +net -faults". Parsing fails if there is no time,
// or no group that this program knows.
std::string to_text(const GroupChange& change);
std::optional<GroupChange> parse_group_change(const std::string& text);

class GroupTimes {
 public:
  struct Window {
    Ns begin = 0;
    Ns end = 0;
  };

  // No changes: what was recorded at all was recorded all the time.
  GroupTimes() = default;
  explicit GroupTimes(const Facts& facts);

  // Not earlier than the change added last.
  void add(const GroupChange& change);

  bool any() const { return !changes_.empty(); }
  const std::vector<GroupChange>& changes() const { return changes_; }
  // At the begin: those that a later change switches on.
  const EventGroups& off_at_first() const { return off_at_first_; }
  // The first moment in [begin, end) at which the group was off.
  std::optional<Ns> first_off(EventGroup group, Ns begin, Ns end) const;
  bool was_on(EventGroup group, Ns begin, Ns end) const { return !first_off(group, begin, end); }
  // When a group was off, and which groups were at all.
  std::vector<Window> off_windows(EventGroup group, Ns begin, Ns end) const;
  EventGroups ever_off() const;

 private:
  // Of one group; several machines of a trace may switch theirs off.
  struct Times {
    unsigned off = 0;  // of how many machines
    std::vector<Window> windows;
  };

  std::vector<GroupChange> changes_;
  std::map<EventGroup, Times> groups_;
  EventGroups off_at_first_;
};

// A line for each group that was off for a time within: how often, and for how long.
std::vector<std::string> group_times_text(const GroupTimes& times, Ns begin, Ns end);

}  // namespace kutrace
