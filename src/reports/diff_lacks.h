// SPDX-License-Identifier: BSD-3-Clause
// What recordings do not tell of what rows of a comparison are made of, which is not the same as
// none of it. In: facts of a trace, the windows that are compared; out: for a row, in words, what a
// recording lacks of it that another has.
#pragma once

#include <string>
#include <vector>

#include "base/time_window.h"
#include "format/event_groups.h"
#include "format/facts.h"
#include "reports/diff_side.h"

namespace kutrace::reports {

struct DiffLacks {
  EventGroups groups;     // not recorded, or not all the time
  bool cpu_time = false;  // all that CPUs did is lost

  // What either lacks, and what both do.
  DiffLacks with(const DiffLacks& other) const;
  DiffLacks in_common(const DiffLacks& other) const;
};

// A trace that does not say which groups it has has all of them. `windows`: tidy ones.
EventGroups groups_lacking(const Facts& facts, const std::vector<TimeWindow>& windows);

// Of what a row is made of, what `own` lacks and others have: names of groups, or "CPU time".
// `common`: what all lack.
std::vector<std::string> lacking_for(const DiffKey& key, const DiffLacks& own,
                                     const DiffLacks& common);

}  // namespace kutrace::reports
