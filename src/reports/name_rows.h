// SPDX-License-Identifier: BSD-3-Clause
// Causes of many intervals, made comparable. In: a cause; out: the same, with one thread for all of
// a name, on no particular CPU.
#pragma once

#include <unordered_map>

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

 private:
  ThreadRow first_of_name(ThreadRow row) {
    if (row == kNoRow) return kNoRow;
    return rows_.try_emplace(happenings_.name_of(row), row).first->second;
  }

  const Happenings& happenings_;
  std::unordered_map<NameId, ThreadRow> rows_;
};

}  // namespace kutrace::reports
