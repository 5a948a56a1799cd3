// SPDX-License-Identifier: BSD-3-Clause
// Summing what each thread did.
#include "reports/thread_law.h"

#include <fmt/format.h>

#include <algorithm>

namespace kutrace {

void ThreadLaw::Sums::reach(const Span& span) {
  if (!any) first = span.start;
  if (any && span.start < until) overlap += until - span.start;
  until = std::max(any ? until : span.start, span.start + span.duration);
  any = true;
}

void ThreadLaw::life(const ThreadLife& life, const Violate& violate) {
  Sums& sums = of(life.pid);
  ++count_;
  total_ += life.duration();
  unknown_ += life.unknown();
  if (sums.overlap > 0) {
    violate(fmt::format("thread {}: {} ns at two things at once", life.pid, sums.overlap));
  }
  if (sums.executing != life.executing || sums.waiting != life.waiting || life.unknown() < 0) {
    violate(fmt::format(
        "thread {}: {} ns executing and {} ns waiting; its life says {} + {} of {} ns", life.pid,
        sums.executing, sums.waiting, life.executing, life.waiting, life.duration()));
  }
  if (sums.any && (sums.first < life.begin || sums.until > life.end)) {
    violate(fmt::format("thread {}: lives from {} to {} ns, but has spans from {} to {} ns",
                        life.pid, life.begin, life.end, sums.first, sums.until));
  }
  sums = {};
}

void ThreadLaw::finish(const Violate& violate) const {
  if (count_ == 0) return;  // a form of trace that does not tell of lives
  for (const auto& [pid, sums] : threads_) {
    if (sums.any) violate(fmt::format("thread {}: has spans, but no life", pid));
  }
}

}  // namespace kutrace
