// SPDX-License-Identifier: BSD-3-Clause
// Summing what each thread did.
#include "reports/thread_law.h"

#include <fmt/format.h>

#include "base/add_time.h"

namespace kutrace::reports {

// Also where a span is shorter than nothing, which is told elsewhere.
void ThreadLaw::overlap(Sums& sums, const Span& span) {
  if (span.start < sums.until) overlaps_[span.thread] += sums.until - span.start;
  sums.first = std::min(sums.first, span.start);
  sums.until = std::max(sums.until, span.start + span.duration);
}

void ThreadLaw::life(const ThreadLife& life, Violations& violations) {
  Sums& sums = of(life.thread);
  ++count_;
  add_time(total_, life.duration());
  add_time(unknown_, life.unknown());
  if (const auto overlap = overlaps_.find(life.thread); overlap != overlaps_.end()) {
    violations.add(
        fmt::format("thread {}: {} ns at two things at once", life.pid, overlap->second));
    overlaps_.erase(overlap);
  }
  if (sums.executing != life.executing || sums.waiting != life.waiting || life.unknown() < 0) {
    violations.add(fmt::format(
        "thread {}: {} ns executing and {} ns waiting; its life says {} + {} of {} ns", life.pid,
        sums.executing, sums.waiting, life.executing, life.waiting, life.duration()));
  }
  if (sums.any() && (sums.first < life.begin || sums.until > life.end)) {
    violations.add(fmt::format("thread {}: lives from {} to {} ns, but has spans from {} to {} ns",
                               life.pid, life.begin, life.end, sums.first, sums.until));
  }
  sums = {};
  Ns& in_use = number_in_use_[life.pid].time;
  if (life.begin < in_use) {
    violations.add(
        fmt::format("thread {}: lives from {} ns on, while another one has its number "
                    "until {} ns",
                    life.pid, life.begin, in_use));
  }
  in_use = std::max(in_use, life.end);
}

void ThreadLaw::finish(Violations& violations) const {
  if (count_ == 0) return;  // a form of trace that does not tell of lives
  for (std::size_t place = 0; place < threads_.size(); ++place) {
    const Sums& sums = threads_[place];
    if (sums.any()) {
      violations.add(fmt::format("a thread has spans from {} ns on, but no life", sums.first));
    }
  }
}

}  // namespace kutrace::reports
