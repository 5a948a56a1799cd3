// SPDX-License-Identifier: BSD-3-Clause
// Requests that are looked into. In: their intervals, in any order; out: which calls lie within
// them, how many requests there are and how long they took. Memory: 32 bytes a request.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "model/call.h"
#include "reports/duration_histogram.h"
#include "reports/interval.h"

namespace kutrace::reports {

class Requests {
 public:
  void add(const Interval& request);
  // After the last one; before it nothing can be asked of calls.
  void finish();
  // Whether the call returns within a request of its thread. That which ends a request is of it,
  // that with whose return it begins is not, however short either is.
  bool has(const Call& call) const;

  Ns total() const { return total_; }
  const DurationHistogram& durations() const { return durations_; }

 private:
  struct Time {
    Ns begin = 0;
    Ns end = 0;  // when finished: the latest of all that begin until then
  };

  std::map<WhichThread, std::vector<Time>> times_;  // when finished: in order of begin
  DurationHistogram durations_;
  Ns total_ = 0;
};

}  // namespace kutrace::reports
