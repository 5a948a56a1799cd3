// SPDX-License-Identifier: BSD-3-Clause
// Summing what each open call did.
#include "reports/call_law.h"

#include <fmt/format.h>

#include <span>

#include "base/add_time.h"

namespace kutrace::reports {

namespace {

// Not inlined: most calls do not wait.
[[gnu::noinline]] Ns sum_of(std::span<const WaitTime> waits) {
  Ns sum = 0;
  for (const WaitTime& wait : waits) sum += wait.time;
  return sum;
}

}  // namespace

std::uint64_t CallSums::open() const {
  std::uint64_t open = replaced_;
  for (std::size_t slot = 0; slot < sums_.size(); ++slot) {
    if (sums_[slot].id != CallId::kNone) ++open;
  }
  return open;
}

void CallLaw::count(const Call& call) {
  ++count_;
  inferred_ += call.begin_inferred || call.end_inferred ? 1 : 0;
  add_time(total_, call.duration());
  add_time(unknown_, call.unknown());
}

void CallLaw::call(const Call& call, Violations& violations) {
  CallSums::Sums& sums = open_.at(call.id, call.slot);
  count(call);
  const Ns waits = call.waits.empty() ? 0 : sum_of(call.waits);
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
  sums.id = CallId::kNone;
  if (call.parent == CallId::kNone) return;
  CallSums::Sums& parent = open_.at(call.parent, call.parent_slot);
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
