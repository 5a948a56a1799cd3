// SPDX-License-Identifier: BSD-3-Clause
// Summing what each open call did.
#include "reports/call_law.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/add_time.h"

namespace kutrace::reports {

// Ids come in order, so one above all others is of a call that was not heard of.
CallSums::Sums& CallSums::begin(CallId id) {
  if (newest_.id != CallId::kNone) among_others(newest_.id) = newest_;
  newest_ = {};
  newest_.id = last_ = id;
  return newest_;
}

CallSums::Sums& CallSums::among_others(CallId id) {
  Slot& slot = slots_[slot_of(id)];
  return slot.id == id ? sums_[slot.place] : add_other(slot, id);
}

CallSums::Sums& CallSums::add_other(Slot& slot, CallId id) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(sums_.size()));
    sums_.emplace_back();
  }
  slot = {id, free_.back()};
  free_.pop_back();
  Sums& sums = sums_[slot.place];
  sums = {};
  sums.id = id;
  if (4 * ++others_ > 3 * slots_.size()) grow();
  return sums;
}

void CallSums::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  --shift_;
  for (const Slot& slot : old) {
    if (slot.id != CallId::kNone) slots_[slot_of(slot.id)] = slot;
  }
}

// What was pushed on from its home moves up, so that no search ends too early.
void CallSums::erase_other(CallId id) {
  std::size_t gap = slot_of(id);
  if (slots_[gap].id == CallId::kNone) return;
  free_.push_back(slots_[gap].place);
  --others_;
  for (std::size_t at = (gap + 1) & mask(); slots_[at].id != CallId::kNone;
       at = (at + 1) & mask()) {
    const bool stays = ((at - home(slots_[at].id)) & mask()) < ((at - gap) & mask());
    if (stays) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = {};
}

void CallLaw::count(const Call& call) {
  ++count_;
  inferred_ += call.begin_inferred || call.end_inferred ? 1 : 0;
  add_time(total_, call.duration());
  add_time(unknown_, call.unknown());
}

void CallLaw::call(const Call& call, Violations& violations) {
  const CallSums::Sums& sums = open_.at(call.id);
  count(call);
  Ns waits = 0;
  for (const WaitTime& wait : call.waits) waits += wait.time;
  const bool adds_up = sums.own == call.own && sums.pieces == call.pieces &&
                       sums.own + sums.called == call.on_cpu && sums.blocked == call.blocked &&
                       waits == call.blocked && call.unknown() >= 0 && call.duration() >= 0;
  const bool inside = sums.first >= call.begin && sums.last <= call.end;
  if (!adds_up) [[unlikely]] {
    does_not_add_up(sums, call, violations);
  }
  if (!inside) [[unlikely]] {
    reaches_out(sums, call, violations);
  }
  open_.erase(call.id);
  if (call.parent == CallId::kNone) return;
  CallSums::Sums& parent = open_.at(call.parent);
  parent.called += call.on_cpu;
  parent.blocked += call.blocked;
  parent.reach(call.begin, call.end);
}

void CallLaw::does_not_add_up(const CallSums::Sums& sums, const Call& call,
                              Violations& violations) {
  violations.add(fmt::format(
      "call {} of event {:x} from {} ns: {} ns in pieces, {} ns called, {} ns "
      "blocked; it says {} + {} + {} of {} ns",
      static_cast<std::uint32_t>(call.id), call.event, call.begin, sums.own, sums.called,
      sums.blocked, call.own, call.on_cpu - call.own, call.blocked, call.duration()));
}

void CallLaw::reaches_out(const CallSums::Sums& sums, const Call& call, Violations& violations) {
  violations.add(
      fmt::format("call {} of event {:x} from {} to {} ns: parts of it reach from {} to {} ns",
                  static_cast<std::uint32_t>(call.id), call.event, call.begin, call.end, sums.first,
                  sums.last));
}

void CallLaw::finish(Violations& violations) const {
  if (count_ == 0) return;  // a form of trace that does not tell of calls
  if (open_.open() != 0) violations.add(fmt::format("{} calls never end", open_.open()));
}

}  // namespace kutrace::reports
