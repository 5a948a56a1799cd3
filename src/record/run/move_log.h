// SPDX-License-Identifier: BSD-3-Clause
// Which control groups processes are in, and when they move, for a trace. In: what /proc shows, and
// what the source tells; out: the records of the trace. What a flight recorder overwrites takes its
// moves with it, but for the last one of each process that still runs.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "format/process_text.h"
#include "record/proc/cgroups.h"

namespace kutrace::record {

class MoveLog {
 public:
  // Looks at all processes; `at` reads the counter. `with_new`: also at those that began since the
  // last look, of which nothing else may tell.
  void look(const std::function<Ticks()>& at, bool with_new);
  // What lies outside of these times is known, but not written.
  void add(const std::vector<CgroupRecord>& moves, Ticks begin, Ticks end);
  // Nothing before `oldest` is asked for any more. `now` reads the counter. Does nothing most of
  // the time.
  void forget_before(Ticks oldest, Ticks now);
  // What is new.
  std::vector<CgroupRecord> take() { return std::exchange(records_, {}); }

 private:
  ProcessCgroups groups_;
  std::vector<CgroupRecord> records_;
  std::map<Pid, Ticks> gone_;       // processes that were found to have ended, and when
  std::size_t forget_at_ = 10'000;  // as many records
};

}  // namespace kutrace::record
