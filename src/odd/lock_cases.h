// SPDX-License-Identifier: BSD-3-Clause
// Waits for locks summed up by the thread that they are about. What was no lock is known at the end
// only, so they are kept by thread and address until then. Memory: about 300 bytes for each thread,
// who waited for it or for whom it waited, and address.
#pragma once

#include <map>
#include <tuple>

#include "odd/cases.h"
#include "odd/lock_waits.h"

namespace kutrace::odd {

class LockCases {
 public:
  using Cases = CasesOf<LockWait>;

  void add(Row about, const LockWait& wait, Ns cost) {
    cases_[{about, wait.row, wait.lock}].add({wait.begin, wait.end}, cost, wait);
  }

  std::map<Row, Cases> of_locks(const LockWaits& locks) const {
    std::map<Row, Cases> sums;
    for (const auto& [key, cases] : cases_) {
      const auto& [about, waiter, lock] = key;
      if (locks.is_lock(waiter, lock)) sums[about].add(cases);
    }
    return sums;
  }

 private:
  std::map<std::tuple<Row, Row, std::uint64_t>, Cases> cases_;
};

}  // namespace kutrace::odd
