// SPDX-License-Identifier: BSD-3-Clause
// Calls that lie in more than one slab, which every view has. In: such calls; out: their columns.
// With many threads most calls are of these, so that they are kept as columns all the time: a
// quarter of what they would take as they are.
#pragma once

#include <vector>

#include "emit/page/call_columns.h"
#include "emit/page/common_unit.h"
#include "emit/page/page_tables.h"
#include "emit/page/slab_call.h"

namespace kutrace::emit {

class FarCalls {
 public:
  void add(const Call& call, const CallPlace& place);
  void add_to(KindTotals& totals) const;
  // All times, those of begins counted from `base`.
  void fold(Ns base, CommonUnit& unit) const;
  // Behind what there is in `out`; only the totals are left.
  void put_to(Ns base, const TimeUnit& unit, Column& out);

 private:
  CallColumns columns_{0, TimeUnit(1)};
  std::vector<KindTotal> totals_;  // by kind
  CommonUnit unit_;                // of times, and of begins since the first
  Ns first_begin_ = 0;
  bool any_ = false;
};

}  // namespace kutrace::emit
