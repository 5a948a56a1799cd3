// SPDX-License-Identifier: BSD-3-Clause
// Facts of a trace, compared with what a detector needs.
#include "odd/unseen.h"

#include <algorithm>

#include "format/counter_records.h"
#include "format/group_times.h"
#include "model/readings.h"

namespace kutrace::odd {

namespace {

bool has_all_threads(const Facts& facts) {
  if (facts.has(fact::kRecordedThreads)) return false;
  return std::ranges::none_of(facts, [](const Facts::Fact& fact) {
    return fact.first == fact::kFilter.text && fact.second.starts_with("only ") &&
           fact.second.find(" thread") != std::string::npos;
  });
}

// Some of the time at least. A trace that does not say what was recorded may have all.
EventGroups recorded_groups(const Facts& facts) {
  const auto names = facts.get(fact::kEvents);
  if (!names) return EventGroups::standard();
  EventGroups groups = EventGroups::of_names(*names);
  const GroupTimes times(facts);
  for (const GroupChange& change : times.changes()) groups = groups.with(change.on);
  return groups;
}

// A group that is gone when its counters are read again has an end, and no growth. What does not
// change is told once, too, but has no end.
bool has_ended_group(const Facts& facts) {
  const Readings readings(facts);
  return std::ranges::any_of(readings.series(), [](const Readings::Series& series) {
    return series.told.name.starts_with(kThrottled) && series.values.size() == 2 &&
           !series.values.back().value;
  });
}

}  // namespace

Unseen unseen_by(const DetectorKind& kind, const Facts& facts, bool frequencies) {
  Unseen unseen;
  unseen.threads = kind.needs_all_threads && !has_all_threads(facts);
  const EventGroups recorded = recorded_groups(facts);
  for (const EventGroup group : kind.needs)
    if (!recorded.has(group)) unseen.groups.set(group, true);
  unseen.frequencies = (kind.hears & kHearsFrequency) != 0 && !frequencies;
  unseen.quotas = kind.reads == FactsRead::kQuotas && !facts.get(fact::kCgroups).value_or(false);
  unseen.ended_groups =
      kind.reads == FactsRead::kQuotas && !unseen.quotas && has_ended_group(facts);
  unseen.recorder = kind.reads == FactsRead::kRecorder && !facts.has(fact::kRecorderPid) &&
                    !facts.has(fact::kCostPercent);
  return unseen;
}

}  // namespace kutrace::odd
