// SPDX-License-Identifier: BSD-3-Clause
// Requests of a thread on several files may overlap.
#include "reports/requests.h"

#include <algorithm>

#include "base/add_time.h"

namespace kutrace::reports {

void Requests::add(const Interval& request) {
  times_[WhichThread(request.pid, request.thread)].push_back({request.begin, request.end});
  durations_.add(request.duration());
  add_time(total_, request.duration());
}

void Requests::finish() {
  for (auto& [thread, times] : times_) {
    std::ranges::sort(times, {}, &Time::begin);
    Ns latest = times.front().end;
    for (Time& time : times) {
      latest = std::max(latest, time.end);
      time.end = latest;
    }
  }
}

bool Requests::has(const Call& call) const {
  const auto thread = times_.find(WhichThread(call.pid, call.thread));
  if (thread == times_.end()) return false;
  const std::vector<Time>& times = thread->second;
  const auto behind = std::ranges::lower_bound(times, call.end, {}, &Time::begin);
  return behind != times.begin() && std::prev(behind)->end >= call.end;
}

}  // namespace kutrace::reports
