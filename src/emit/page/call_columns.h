// SPDX-License-Identifier: BSD-3-Clause
// Columns of calls, as doc/page-format.md has them. In: calls, one after the other; out: bytes. A
// call that is no more than its pieces has its waits there, any other one all that is known of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emit/page/column.h"
#include "emit/page/slab_call.h"
#include "emit/page/time_unit.h"
#include "model/call.h"

namespace kutrace::emit {

// 0, 1 for the same as another one, else units + 1.
void put_time(Column& column, Ns time, Ns like, const TimeUnit& unit);
// Of nothing but zeros nothing is written.
void clear_zeros(Column& column);

class CallColumns {
 public:
  // The first end counts from `base`.
  CallColumns(Ns base, const TimeUnit& unit) : last_end_(base), unit_(unit) {}

  void add_waits(const SlabCall& call, std::span<const WaitTime> waits);
  // After those of which no more than the waits are written.
  void add_whole(const SlabCall& call, std::span<const WaitTime> waits);
  // The same calls with times that were in ns in a unit that divides them, of which the first end
  // counts from `base` where it counted from 0.
  void convert(Ns base, const TimeUnit& unit);
  // As one nested column, behind what there is in `out`; nothing is left. `leads` and `tails` are
  // of those of which no more than the waits are written.
  void put_to(Column& out, const Column& pieces, const Column& leads, const Column& tails);

 private:
  Ns last_end_;
  TimeUnit unit_;
  std::uint64_t whole_ = 0;
  // Of the call before.
  std::vector<WaitTime> waits_before_;
  Ns unknown_before_ = 0;

  Column counts_, letters_, times_, unknown_, flags_;
  Column kinds_, threads_, cpus_, ends_, durations_, owns_, numbers_, args_, results_, stacks_;
};

}  // namespace kutrace::emit
