// SPDX-License-Identifier: BSD-3-Clause
// Summing what each thread did.
#include "reports/thread_law.h"

#include <fmt/format.h>

#include "base/add_time.h"

namespace kutrace::reports {

void ThreadLaw::life(const ThreadLife& life, Violations& violations) {
  Sums& sums = of(life.thread);
  ++count_;
  add_time(total_, life.duration());
  add_time(unknown_, life.unknown());
  if (sums.overlap > 0) {
    violations.add(fmt::format("thread {}: {} ns at two things at once", life.pid, sums.overlap));
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
  const auto [in_use, is_first] = number_in_use_.try_emplace(life.pid, life.end);
  if (is_first) return;
  if (life.begin < in_use->second) {
    violations.add(
        fmt::format("thread {}: lives from {} ns on, while another one has its number "
                    "until {} ns",
                    life.pid, life.begin, in_use->second));
  }
  in_use->second = std::max(in_use->second, life.end);
}

void ThreadLaw::finish(Violations& violations) const {
  if (count_ == 0) return;  // a form of trace that does not tell of lives
  for (const Sums& sums : threads_) {
    if (sums.any()) {
      violations.add(fmt::format("a thread has spans from {} ns on, but no life", sums.first));
    }
  }
}

}  // namespace kutrace::reports
