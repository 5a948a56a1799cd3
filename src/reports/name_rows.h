// SPDX-License-Identifier: BSD-3-Clause
// Causes of many intervals, made comparable. In: a cause; out: the same, with one thread for all of
// a name, on no particular CPU.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "reports/cause.h"

namespace kutrace::reports {

class NameRows {
 public:
  explicit NameRows(const Happenings& happenings) : happenings_(happenings) {}

  // `own` becomes kNoRow: whichever thread's interval it is.
  Cause general(Cause cause, ThreadRow own) {
    cause.thread = cause.thread == own ? kNoRow : first_of_name(cause.thread);
    cause.other = first_of_name(cause.other);
    cause.cpu = kNoCpu;
    return cause;
  }

  // Whether all threads are still called as they were when they were asked for.
  bool are_last() const {
    for (ThreadRow row = 0; row < asked_.size(); ++row) {
      if (asked_[row] && asked_[row] != happenings_.name_of(row)) return false;
    }
    return true;
  }

  // One thread for all of its name.
  ThreadRow first_of_name(ThreadRow row) {
    if (row == kNoRow) return kNoRow;
    if (row >= asked_.size()) asked_.resize(row + std::size_t{1});
    if (!asked_[row]) asked_[row] = happenings_.name_of(row);
    return rows_.try_emplace(*asked_[row], row).first->second;
  }

 private:
  const Happenings& happenings_;
  std::vector<std::optional<NameId>> asked_;  // by row
  std::unordered_map<NameId, ThreadRow> rows_;
};

}  // namespace kutrace::reports
