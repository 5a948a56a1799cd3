// SPDX-License-Identifier: BSD-3-Clause
// Far calls become columns at once, see far_calls.h.
#include "emit/page/far_calls.h"

namespace kutrace::emit {

void FarCalls::add(const Call& call, const CallPlace& place) {
  if (!any_) first_begin_ = call.begin;
  any_ = true;
  const SlabCall far = slab_call(call, place);
  each_time(far, call.waits, first_begin_, [this](Ns time) { unit_.fold(time); });
  if (far.kind >= totals_.size()) totals_.resize(far.kind + std::size_t{1});
  if (!far.birth) totals_[far.kind].add(far.duration());
  columns_.add_whole(far, call.waits);
}

void FarCalls::add_to(KindTotals& totals) const {
  for (KindIndex kind = 0; kind < totals_.size(); ++kind) {
    if (totals_[kind].count != 0) totals.add_calls(kind, totals_[kind]);
  }
}

void FarCalls::fold(Ns base, CommonUnit& unit) const {
  if (!any_) return;
  unit.fold(first_begin_ - base);
  unit.fold(unit_);
}

void FarCalls::put_to(Ns base, const TimeUnit& unit, Column& out) {
  columns_.convert(base, unit);
  columns_.put_to(out, Column(), Column(), Column());
}

}  // namespace kutrace::emit
