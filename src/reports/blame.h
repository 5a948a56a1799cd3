// SPDX-License-Identifier: BSD-3-Clause
// What waiting time went to. In: what happened, and which waits count; out: sums by the reason of
// the wait and its cause: who ran while a thread was ready, who or what ended the wait of a blocked
// one. They add up to the waiting time, exactly.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/time_window.h"
#include "reports/critical_path.h"

namespace kutrace::reports {

struct BlameRow {
  char letter = 0;  // of the wait (WAIT table)
  Cause cause;      // threads stand for all of their names
  std::uint64_t waits = 0;
  Ns total = 0;
  Ns longest = 0;
};

struct Blame {
  std::uint64_t waits = 0;
  Ns total = 0;
  std::vector<BlameRow> rows;  // most time first
};

// Of a wait that reaches out of the windows, which are tidy, what lies in them counts.
Blame blame(Happenings& happenings, CriticalPath& path, const std::vector<TimeWindow>& windows,
            const std::function<bool(const Piece&)>& wanted);

}  // namespace kutrace::reports
