// SPDX-License-Identifier: BSD-3-Clause
// Which groups of events a recording has, where they are switched while it goes on. In: wishes;
// out: the source switched, what changed when, and the facts that say so.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "format/event_groups.h"
#include "format/group_times.h"
#include "format/name_entries.h"
#include "format/tick_rate.h"
#include "record/source/source.h"

namespace kutrace::record {

class GroupLog {
 public:
  explicit GroupLog(const EventGroups& first) : first_(first), now_(first) {}

  const EventGroups& now() const { return now_; }
  // At that moment.
  EventGroups at(Ticks moment) const;
  bool any() const { return !changes_.empty(); }
  // Nothing is done if these are recorded already.
  Result<GroupSwitch> switch_to(const EventGroups& groups, Source& source);
  // The last change, which is there.
  GroupChange last(Ticks zero, TickRate rate) const { return told(changes_.back(), zero, rate); }
  // What changed after `zero`, which is the trace's time 0.
  void add_to(NameEntries& names, Ticks zero, TickRate rate) const;
  // Nothing asks for earlier moments any more.
  void forget_before(Ticks moment);

 private:
  struct Change {
    Ticks at = 0;
    EventGroups before;
    EventGroups after;
  };
  static GroupChange told(const Change& change, Ticks zero, TickRate rate);

  EventGroups first_;
  EventGroups now_;
  std::vector<Change> changes_;
};

}  // namespace kutrace::record
